package io.tunnel.sdk.processor;

import io.tunnel.sdk.TunnelWorkerConfig;

/**
 * Makes a processor per channel, which checkpoints by itself: with a factory, the worker sends no
 * checkpoints of its own.
 */
@FunctionalInterface
public interface IChannelProcessorFactory {

  /**
   * A processor for a channel that this worker has been assigned. When it throws, it is called
   * again after a pause, for {@link TunnelWorkerConfig#processRetryInMillis()}; then the channel
   * stops, and waits for an operator.
   *
   * @param clientId the worker's session
   * @param checkpointer stores the progress of this channel
   */
  IChannelProcessor createProcessor(
      String tunnelId, String clientId, String channelId, ICheckpointer checkpointer);
}
