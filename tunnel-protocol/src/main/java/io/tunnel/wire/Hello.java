package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The first payload of a connection, both ways: {@code u32} {@link Protocol#MAGIC}, {@code u16}
 * protocol version, then a name in UTF-8 for people to read. A client says the version that it
 * speaks; the server answers with the same, or refuses with {@link
 * io.tunnel.model.ErrorCode#UNSUPPORTED_VERSION} and closes.
 */
public record Hello(int version, String name) {

  private static final int NAME_BYTES_MAX = 256;

  /** Refuses null, and versions that have no room on the wire. */
  public Hello {
    Objects.requireNonNull(name, "name");
    if (version < 0 || version > 0xffff) {
      throw new IllegalArgumentException("a version is 0 to 65535, not " + version);
    }
  }

  /** The bytes; a name is cut after {@value #NAME_BYTES_MAX}. */
  public byte[] encode() {
    byte[] text = Utf8.encodeStart(name, NAME_BYTES_MAX);
    ByteSink sink = new ByteSink(8 + text.length);
    sink.writeInt(Protocol.MAGIC);
    sink.writeByte(version >>> 8);
    sink.writeByte(version);
    sink.write(text, 0, text.length);
    return sink.toByteArray();
  }

  /** Reads {@link #encode}'s bytes. */
  public static Hello decode(byte[] payload) {
    if (payload.length < 6 || Binary.getInt(payload, 0) != Protocol.MAGIC) {
      throw new MalformedException("a greeting that does not open with TNL1 and a version");
    }
    int nameBytes = Math.min(payload.length - 6, NAME_BYTES_MAX);
    return new Hello(
        Binary.getShort(payload, 4), new String(payload, 6, nameBytes, StandardCharsets.UTF_8));
  }
}
