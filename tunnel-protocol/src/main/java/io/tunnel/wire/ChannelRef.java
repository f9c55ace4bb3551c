package io.tunnel.wire;

import io.tunnel.codec.ByteSink;

/**
 * A channel as a session holds it: {@code u32} handle, {@code i64} epoch. The handle names the
 * channel on this connection; the epoch says whose turn it is, so that whatever a former holder
 * sends is refused.
 */
public record ChannelRef(int handle, long epoch) {

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(16);
    sink.writeInt(handle);
    sink.writeLong(epoch);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static ChannelRef decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("channel reference", payload);
    ChannelRef ref = new ChannelRef(reader.readInt(), reader.readLong());
    reader.requireEnd();
    return ref;
  }
}
