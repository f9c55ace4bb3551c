package io.tunnel.wire;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.MalformedException;
import io.tunnel.codec.Utf8;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * The first payload of a connection, in both directions: {@code u32} {@link Protocol#MAGIC}, {@code
 * u16} version, a name in UTF-8 for people, a zero byte, {@code u16} smallest and {@code u16}
 * greatest version, {@code u8} number of features, and the features, each after its length.
 *
 * <p>This form never changes. Readers skip bytes after the features, which are for later versions.
 *
 * @param version in a request, the smallest version of the client; in an answer, the version of the
 *     connection
 * @param name a name for people, without a zero character; cut to 256 bytes on the wire
 * @param capabilities the versions and features of the sender
 */
public record Hello(int version, String name, Capabilities capabilities) {

  private static final int NAME_BYTES_MAX = 256;
  private static final int NAME_AT = 6;

  /** Refuses null, a version outside of 0 to 65535, and a version outside of the capabilities. */
  public Hello {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(capabilities, "capabilities");
    if (version < 0 || version > 0xffff) {
      throw new IllegalArgumentException("a version is 0 to 65535, not " + version);
    }
    if (name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("a name without a zero character");
    }
    if (!capabilities.speaks(version)) {
      throw new IllegalArgumentException(
          "version " + version + " from a peer of " + capabilities.versions());
    }
  }

  /** The request of a client. */
  public static Hello request(Capabilities ours, String name) {
    return new Hello(ours.versionMin(), name, ours);
  }

  /**
   * The answer to a request.
   *
   * @param agreed the result of {@link #accept}
   */
  public static Hello answer(Agreement agreed, Capabilities ours, String serverName) {
    return new Hello(agreed.version(), serverName, ours);
  }

  /**
   * The server's choice of version and features for this request.
   *
   * @throws RefusedException UNSUPPORTED_VERSION without a common version
   */
  public Agreement accept(Capabilities ours) {
    int version =
        ours.greatestCommonVersion(capabilities)
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.UNSUPPORTED_VERSION,
                        String.format(
                            "this server speaks %s of the protocol, the client %s",
                            ours.versions(), capabilities.versions())));
    return new Agreement(version, ours.commonFeatures(capabilities));
  }

  /**
   * The client's view of version and features in this answer.
   *
   * @throws RefusedException UNSUPPORTED_VERSION when the server chose a version that the client
   *     does not speak
   */
  public Agreement confirm(Capabilities ours) {
    if (!ours.speaks(version)) {
      throw new RefusedException(
          ErrorCode.UNSUPPORTED_VERSION,
          String.format(
              "this client speaks %s of the protocol, not version %d, with which the server '%s' of"
                  + " %s continues",
              ours.versions(), version, name, capabilities.versions()));
    }
    return new Agreement(version, ours.commonFeatures(capabilities));
  }

  /** The bytes. */
  public byte[] encode() {
    byte[] text = Utf8.encodeStart(name, NAME_BYTES_MAX);
    ByteSink sink = new ByteSink(NAME_AT + text.length);
    sink.writeInt(Protocol.MAGIC);
    sink.writeShort(version);
    sink.write(text, 0, text.length);
    encode(capabilities, sink);
    return sink.toByteArray();
  }

  private static void encode(Capabilities said, ByteSink sink) {
    sink.writeByte(0);
    sink.writeShort(said.versionMin());
    sink.writeShort(said.versionMax());
    sink.writeByte(said.features().size());
    for (String feature : said.features()) {
      byte[] bytes = feature.getBytes(StandardCharsets.US_ASCII);
      sink.writeByte(bytes.length);
      sink.write(bytes, 0, bytes.length);
    }
  }

  /** Reads {@link #encode}'s bytes. */
  public static Hello decode(byte[] payload) {
    if (payload.length < NAME_AT || Binary.getInt(payload, 0) != Protocol.MAGIC) {
      throw new MalformedException("a greeting that does not open with TNL1 and a version");
    }
    int nameEnd = NAME_AT;
    while (nameEnd < payload.length && payload[nameEnd] != 0) {
      nameEnd++;
    }
    int nameBytes = Math.min(nameEnd - NAME_AT, NAME_BYTES_MAX);
    String name = new String(payload, NAME_AT, nameBytes, StandardCharsets.UTF_8);
    try {
      return new Hello(Binary.getShort(payload, 4), name, capabilities(payload, nameEnd));
    } catch (IllegalArgumentException e) {
      throw new MalformedException("a greeting with " + e.getMessage());
    }
  }

  private static Capabilities capabilities(byte[] payload, int nameEnd) {
    if (nameEnd == payload.length) {
      throw new MalformedException(
          "a greeting that ends after its name, without versions and features: a build before"
              + " 0.1.0 sent it, or it is cut off");
    }
    PayloadReader reader =
        new PayloadReader("greeting", Arrays.copyOfRange(payload, nameEnd + 1, payload.length));
    int versionMin = reader.readShort();
    int versionMax = reader.readShort();
    int count = reader.readByte();
    List<String> features = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes feature = reader.readBytes(reader.readByte());
      features.add(new String(feature.toByteArray(), StandardCharsets.ISO_8859_1));
    }
    return new Capabilities(versionMin, versionMax, features);
  }
}
