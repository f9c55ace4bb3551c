package io.tunnel.sdk.processor;

/**
 * Makes a processor for each channel. These processors checkpoint by themselves: a worker with a
 * factory stores no checkpoints of its own.
 */
@FunctionalInterface
public interface IChannelProcessorFactory {

  /**
   * Makes a processor for a channel that the server has assigned to this worker. When this method
   * throws, the worker calls it again after a pause, for {@link
   * io.tunnel.sdk.TunnelWorkerConfig#processRetryInMillis()}; then the channel stops and waits for
   * an operator.
   *
   * @param clientId id of the worker's session
   * @param checkpointer stores the progress of this channel
   */
  IChannelProcessor createProcessor(
      String tunnelId, String clientId, String channelId, ICheckpointer checkpointer);
}
