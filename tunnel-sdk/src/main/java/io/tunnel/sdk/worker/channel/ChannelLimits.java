package io.tunnel.sdk.worker.channel;

/**
 * Limits of each channel.
 *
 * @param processRowsMax most rows of an input
 * @param processBytesMax most bytes of an input, unless a single row is larger
 * @param checkpointNanos time between two checkpoints; 0 when the processor checkpoints by itself
 */
public record ChannelLimits(int processRowsMax, int processBytesMax, long checkpointNanos) {

  /** True when the processor checkpoints by itself. */
  public boolean isManual() {
    return checkpointNanos == 0;
  }
}
