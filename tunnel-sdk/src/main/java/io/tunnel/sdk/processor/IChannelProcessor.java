package io.tunnel.sdk.processor;

import io.tunnel.sdk.TunnelWorkerConfig;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The user's callback. A processor given to {@link TunnelWorkerConfig} is shared by all channels
 * and must be thread-safe: its {@link #process} runs for several channels at once, for one channel
 * one call after the other. One made by an {@link IChannelProcessorFactory} belongs to one channel
 * and is called by one thread at a time, but for {@link #revoked}.
 *
 * <p>Each time that a channel was opened, exactly one of {@link #closing}, {@link #ended} and
 * {@link #revoked} is called for it, and for a processor made by a factory {@link #shutdown} after
 * that. A channel that comes back to the same worker is opened only when all that is over. None of
 * these is called on a thread that the SDK itself waits for: they may block, and checkpoint.
 */
public interface IChannelProcessor {

  /**
   * A processor that does nothing but this with each input, for a lambda. It is shared by all
   * channels, so it must be thread-safe.
   */
  static IChannelProcessor of(Consumer<? super ProcessRecordsInput> process) {
    Objects.requireNonNull(process, "process");
    return new IChannelProcessor() {
      @Override
      public void process(ProcessRecordsInput input) {
        process.accept(input);
      }

      @Override
      public void shutdown() {}
    };
  }

  /**
   * Processes the next changes of a channel, in their order. Until it returns, nothing more of this
   * channel is processed. When it throws, the {@link FailurePolicy} decides; by default it is
   * called again with the same input after a pause, for {@link
   * TunnelWorkerConfig#processRetryInMillis()}; then the channel stops, and waits for an operator.
   * One that knows which record it fails at throws a {@link FailedRecordException}.
   *
   * <p>The input's bytes make room for further deliveries when this returns. A processor that goes
   * on working on them behind its return has to bound that work by itself.
   */
  void process(ProcessRecordsInput input);

  /**
   * No more changes of this channel will come here, and what was processed counts: the worker is
   * shut down, the channel moves to another one, or it stops after failures. Called after the last
   * {@link #process} and before the last checkpoint.
   */
  default void closing(String channelId) {}

  /**
   * Everything there is of this channel was processed; nothing more will ever come. With automatic
   * checkpoints that is stored next. A processor that checkpoints by itself has to store the last
   * input's token, or null, here or later: until then the channel is held.
   */
  default void ended(String channelId) {}

  /**
   * The channel is somebody else's already: nothing done for it from now on counts, and checkpoints
   * throw {@code FENCED}. Called as soon as that is known, also while {@link #process} runs, by
   * another thread, so that it can give up early.
   */
  default void revoked(String channelId) {}

  /**
   * Called once after everything else: for a shared processor when the worker ends (not once per
   * channel), for one made by a factory when its channel has ended.
   */
  void shutdown();
}
