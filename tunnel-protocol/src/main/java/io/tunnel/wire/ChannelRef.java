package io.tunnel.wire;

import io.tunnel.codec.ByteSink;

/**
 * A channel held by a session: {@code u32} handle, {@code i64} epoch. The handle names the channel
 * on this connection. The epoch names the holding, so that the server can refuse requests of a
 * former holder.
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
