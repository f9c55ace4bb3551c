package io.tunnel.sdk.processor;

import java.util.Objects;
import java.util.function.Consumer;

/**
 * The user's callback. All channels share a processor that is set in {@link
 * io.tunnel.sdk.TunnelWorkerConfig}, so it must be thread-safe: {@link #process} runs for several
 * channels at once, and for one channel one call after the other. A processor made by an {@link
 * IChannelProcessorFactory} belongs to one channel; one thread at a time calls it, except for
 * {@link #revoked}.
 *
 * <p>After a channel was opened, the worker calls exactly one of {@link #closing}, {@link #ended}
 * and {@link #revoked} for it, and then {@link #shutdown} if a factory made the processor. A
 * channel that returns to the same worker is opened only after these calls. All callbacks may block
 * and checkpoint, because the SDK never waits for the threads of callbacks.
 */
public interface IChannelProcessor {

  /**
   * A processor from a lambda that takes each input. All channels share the lambda, so it must be
   * thread-safe.
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
   * Processes the next changes of a channel, in order. The worker processes no later changes of the
   * channel until this method returns. When it throws, the {@link FailurePolicy} decides. By
   * default, the worker calls it again with the same input after a pause, for {@link
   * io.tunnel.sdk.TunnelWorkerConfig#processRetryInMillis()}; then the channel stops and waits for
   * an operator. A processor that knows which record fails throws a {@link FailedRecordException}.
   *
   * <p>When this method returns, the bytes of the input make room for further deliveries. A
   * processor that works on the input after returning has to bound that work by itself.
   */
  void process(ProcessRecordsInput input);

  /**
   * The channel ends at this worker in good order: the worker shuts down, the channel moves to
   * another worker, or the channel stops after failures. All processed changes count. Called after
   * the last {@link #process} and before the last checkpoint.
   */
  default void closing(String channelId) {}

  /**
   * All changes of the channel are processed, and no more will ever come. With automatic
   * checkpoints, the worker stores the end next. A processor that checkpoints by itself has to
   * checkpoint the token of the last input, or null, here or later: until then the worker holds the
   * channel.
   */
  default void ended(String channelId) {}

  /**
   * The worker has lost the channel, and another worker may hold it: work on the channel no longer
   * counts, and checkpoints throw {@code FENCED}. The worker calls this method as soon as it knows,
   * also while {@link #process} runs on another thread, so that the processor can give up early.
   */
  default void revoked(String channelId) {}

  /**
   * The last call, made once: for a shared processor when the worker ends (not once per channel),
   * for a processor made by a factory when its channel has ended.
   */
  void shutdown();
}
