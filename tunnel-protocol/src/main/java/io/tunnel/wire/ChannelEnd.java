package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;

/**
 * The end of a channel: {@code u32} handle, {@code i64} epoch, {@code i64} last position, which may
 * be the checkpoint of the assignment. The worker processes all deliveries, checkpoints this
 * position, and gives the channel back, which is then TERMINATED.
 */
public record ChannelEnd(int handle, long epoch, long position) {

  /** Bytes of the payload. */
  private static final int BYTES = 20;

  /** Refuses positions under 0. */
  public ChannelEnd {
    if (position < 0) {
      throw new IllegalArgumentException("a channel ends at position 0 or more, not " + position);
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(BYTES);
    sink.writeInt(handle);
    sink.writeLong(epoch);
    sink.writeLong(position);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static ChannelEnd decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("channel end", payload);
    int handle = reader.readInt();
    long epoch = reader.readLong();
    long position = reader.readLong();
    reader.requireEnd();
    if (position < 0) {
      throw new MalformedException("a channel that ends at " + position);
    }
    return new ChannelEnd(handle, epoch, position);
  }
}
