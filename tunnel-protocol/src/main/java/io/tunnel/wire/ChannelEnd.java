package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;

/**
 * Nothing is delivered behind a position: {@code u32} handle, {@code i64} epoch, {@code i64}
 * position, which may be the one that the channel was assigned with. The worker processes what it
 * was sent, checkpoints that position, and gives the channel back; it is TERMINATED then.
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
