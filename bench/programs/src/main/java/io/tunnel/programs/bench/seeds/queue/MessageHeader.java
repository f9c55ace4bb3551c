package io.tunnel.programs.bench.seeds.queue;

/**
 * What every message says.
 *
 * @param sender the number of its sender
 * @param number of the message among those of its sender, from 0
 * @param sentNanos the moment at which its sender began to send it, on the clock of this process
 */
public record MessageHeader(int sender, long number, long sentNanos) {

  /** Bytes of the three numbers; the rest of a message is filled. */
  public static final int BYTES = Integer.BYTES + 2 * Long.BYTES;
}
