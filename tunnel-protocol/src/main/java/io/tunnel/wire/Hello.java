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
import java.util.Optional;

/**
 * The first payload of a connection, in both directions: {@code u32} {@link Protocol#MAGIC}, {@code
 * u16} version, and a name in UTF-8 for people. With capabilities, a zero byte follows, {@code u16}
 * smallest and {@code u16} greatest version, {@code u8} number of features, and the features, each
 * behind its length.
 *
 * <p>The first peers sent no capabilities, and read all bytes behind the version as a name. So they
 * understand the present greeting, too, and its form never changes. Readers skip bytes behind the
 * features, which are for later versions.
 *
 * @param version in a request, the smallest version of the client; in an answer, the version of the
 *     connection
 * @param name a name for people, without a zero character; cut to 256 bytes on the wire
 * @param capabilities the versions and features of the sender; absent from a sender with a single
 *     version
 */
public record Hello(int version, String name, Optional<Capabilities> capabilities) {

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
    if (capabilities.isPresent()
        && Capabilities.only(version).greatestCommonVersion(capabilities.get()).isEmpty()) {
      throw new IllegalArgumentException(
          "version " + version + " from a peer of " + capabilities.get().versions());
    }
  }

  /** A greeting in the form of the first peers. */
  public Hello(int version, String name) {
    this(version, name, Optional.empty());
  }

  /** The request of a client. */
  public static Hello request(Capabilities ours, String name) {
    return new Hello(ours.versionMin(), name, Optional.of(ours));
  }

  /**
   * The answer to this request, in the form of the request: without capabilities if the request has
   * none.
   *
   * @param agreed the result of {@link #accept}
   */
  public Hello answer(Agreement agreed, Capabilities ours, String serverName) {
    return new Hello(agreed.version(), serverName, capabilities.map(unused -> ours));
  }

  /**
   * The server's choice of version and features for this request.
   *
   * @throws RefusedException UNSUPPORTED_VERSION without a common version
   */
  public Agreement accept(Capabilities ours) {
    Capabilities theirs = offered();
    int version =
        ours.greatestCommonVersion(theirs)
            .orElseThrow(
                () ->
                    new RefusedException(
                        ErrorCode.UNSUPPORTED_VERSION,
                        String.format(
                            "this server speaks %s of the protocol, the client %s",
                            ours.versions(), theirs.versions())));
    return new Agreement(version, ours.commonFeatures(theirs));
  }

  /**
   * The client's view of version and features in this answer.
   *
   * @throws RefusedException UNSUPPORTED_VERSION when the server chose a version that the client
   *     does not speak
   */
  public Agreement confirm(Capabilities ours) {
    if (ours.greatestCommonVersion(Capabilities.only(version)).isEmpty()) {
      throw new RefusedException(
          ErrorCode.UNSUPPORTED_VERSION,
          String.format(
              "this client speaks %s of the protocol, not version %d, with which the server '%s' of"
                  + " %s goes on",
              ours.versions(), version, name, offered().versions()));
    }
    return new Agreement(version, ours.commonFeatures(offered()));
  }

  private Capabilities offered() {
    return capabilities.orElseGet(() -> Capabilities.only(version));
  }

  /** The bytes. */
  public byte[] encode() {
    byte[] text = Utf8.encodeStart(name, NAME_BYTES_MAX);
    ByteSink sink = new ByteSink(NAME_AT + text.length);
    sink.writeInt(Protocol.MAGIC);
    sink.writeShort(version);
    sink.write(text, 0, text.length);
    capabilities.ifPresent(said -> encode(said, sink));
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

  private static Optional<Capabilities> capabilities(byte[] payload, int nameEnd) {
    if (nameEnd == payload.length) {
      return Optional.empty();
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
    return Optional.of(new Capabilities(versionMin, versionMax, features));
  }
}
