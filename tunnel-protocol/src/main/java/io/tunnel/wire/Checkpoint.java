package io.tunnel.wire;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;

/**
 * Progress of a channel: {@code u32} handle, {@code i64} epoch, {@code i64} position up to which,
 * inclusive, every change was processed.
 */
public record Checkpoint(int handle, long epoch, long position) {

  /** Refuses positions under 0. */
  public Checkpoint {
    if (position < 0) {
      throw new IllegalArgumentException("a checkpoint is at least 0, not " + position);
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(20);
    sink.writeInt(handle);
    sink.writeLong(epoch);
    sink.writeLong(position);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static Checkpoint decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("checkpoint", payload);
    int handle = reader.readInt();
    long epoch = reader.readLong();
    long position = reader.readLong();
    reader.requireEnd();
    if (position < 0) {
      throw new MalformedException("a checkpoint at " + position);
    }
    return new Checkpoint(handle, epoch, position);
  }
}
