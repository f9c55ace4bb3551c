package io.tunnel.sdk;

/**
 * The user's callback. A processor given to {@link TunnelWorkerConfig} is shared by all channels
 * and must be thread-safe: its {@link #process} runs for several channels at once, for one channel
 * one call after the other. One made by an {@link IChannelProcessorFactory} belongs to one channel
 * and is called by one thread at a time.
 */
public interface IChannelProcessor {

  /**
   * Processes the next changes of a channel, in their order. Until it returns, nothing more of this
   * channel is processed. When it throws, it is called again with the same input after a pause, up
   * to {@link TunnelWorkerConfig#getProcessAttemptsMax()} times in all; then the channel stops.
   */
  void process(ProcessRecordsInput input);

  /**
   * Called once after the last {@link #process}: for a shared processor when the worker ends (not
   * once per channel), for one made by a factory when its channel is given back or lost.
   */
  void shutdown();
}
