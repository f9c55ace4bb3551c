package io.tunnel.wire.control;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import java.util.Objects;

/**
 * The newest grant of a channel: {@code u32} handle, {@code i64} epoch, and the grant in the rest.
 * Clients pass a grant on unchanged.
 */
public record Renewal(int handle, long epoch, Bytes grant) {

  /** The most bytes of a grant, which contains the name of a tunnel. */
  public static final int GRANT_BYTES_MAX = 4_096;

  private static final int PREFIX_BYTES = 12;

  /** Refuses null, and a grant that is too long. */
  public Renewal {
    Objects.requireNonNull(grant, "grant");
    if (grant.length() > GRANT_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a grant has " + GRANT_BYTES_MAX + " bytes at most, not " + grant.length());
    }
  }

  /** The bytes. */
  public byte[] encode() {
    ByteSink sink = new ByteSink(PREFIX_BYTES + grant.length());
    sink.writeInt(handle);
    sink.writeLong(epoch);
    byte[] bytes = grant.toByteArray();
    sink.write(bytes, 0, bytes.length);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static Renewal decode(byte[] payload) {
    int bytes = payload.length - PREFIX_BYTES;
    if (bytes < 0 || bytes > GRANT_BYTES_MAX) {
      throw new MalformedException("a renewal of " + payload.length + " bytes");
    }
    Bytes grant = Bytes.copyOf(payload, PREFIX_BYTES, bytes);
    return new Renewal(Binary.getInt(payload, 0), Binary.getLong(payload, 4), grant);
  }
}
