package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;

/**
 * More bytes that a worker will accept on a channel: {@code u32} handle, {@code i64} epoch, {@code
 * u32} bytes.
 */
public record Credit(int handle, long epoch, int bytes) {

  /** Refuses credit under 1. */
  public Credit {
    if (bytes < 1) {
      throw new IllegalArgumentException("credit is at least 1 byte, not " + bytes);
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(16);
    sink.writeInt(handle);
    sink.writeLong(epoch);
    sink.writeInt(bytes);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static Credit decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("credit", payload);
    int handle = reader.readInt();
    long epoch = reader.readLong();
    int bytes = reader.readInt();
    reader.requireEnd();
    if (bytes < 1) {
      throw new MalformedException("credit of " + bytes + " bytes");
    }
    return new Credit(handle, epoch, bytes);
  }
}
