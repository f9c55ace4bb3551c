package io.tunnel.sdk.worker.channel;

/**
 * What a channel may use.
 *
 * @param processRowsMax rows that are given to the processor at once, at most
 * @param processBytesMax bytes that are given to the processor at once at most, unless a single row
 *     has more
 * @param checkpointNanos between two checkpoints; 0 when the processor checkpoints by itself
 */
public record ChannelLimits(int processRowsMax, int processBytesMax, long checkpointNanos) {

  /** Whether the processor checkpoints by itself. */
  public boolean isManual() {
    return checkpointNanos == 0;
  }
}
