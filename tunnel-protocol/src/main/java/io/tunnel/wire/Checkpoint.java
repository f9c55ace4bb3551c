package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.Objects;
import java.util.Optional;

/**
 * Progress of a channel: {@code u32} handle, {@code i64} epoch, {@code i64} position of the last
 * change, before which all changes are processed. The rest is, for an attached base channel, the
 * encoded key of the row at the position; for an attached stream channel, {@code i64} incarnation
 * of the position, if known.
 */
public record Checkpoint(int handle, long epoch, long position, Bytes key) {

  /** The longest encoded key: every byte of every column may need an escape byte. */
  private static final int KEY_BYTES_MAX =
      Limits.KEY_COLUMNS_MAX * (2 * Limits.KEY_COLUMN_BYTES_MAX + 16);

  /** Bytes of an incarnation. */
  private static final int INCARNATION_BYTES = 8;

  /** The bytes in the place of the key for the position of a change with an incarnation. */
  public static Bytes rest(Optional<Long> incarnation) {
    if (incarnation.isEmpty()) {
      return Bytes.EMPTY;
    }
    ByteSink sink = new ByteSink(INCARNATION_BYTES);
    sink.writeLong(incarnation.get());
    return Bytes.copyOf(sink.toByteArray());
  }

  /** For a stream channel, the incarnation of the position, if present. */
  public Optional<Long> incarnation() {
    return key.length() == INCARNATION_BYTES
        ? Optional.of(Binary.getLong(key.toByteArray(), 0)).filter(number -> number >= 1)
        : Optional.empty();
  }

  /** Progress without a key or an incarnation. */
  public Checkpoint(int handle, long epoch, long position) {
    this(handle, epoch, position, Bytes.EMPTY);
  }

  /** Refuses positions under 0. */
  public Checkpoint {
    Objects.requireNonNull(key, "key");
    if (position < 0) {
      throw new IllegalArgumentException("a checkpoint is at least 0, not " + position);
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(20 + key.length());
    sink.writeInt(handle);
    sink.writeLong(epoch);
    sink.writeLong(position);
    byte[] keyBytes = key.toByteArray();
    sink.write(keyBytes, 0, keyBytes.length);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static Checkpoint decode(byte[] payload) {
    PayloadReader reader = new PayloadReader("checkpoint", payload);
    int handle = reader.readInt();
    long epoch = reader.readLong();
    long position = reader.readLong();
    Bytes key = reader.readRest(KEY_BYTES_MAX);
    if (position < 0) {
      throw new MalformedException("a checkpoint at " + position);
    }
    return new Checkpoint(handle, epoch, position, key);
  }
}
