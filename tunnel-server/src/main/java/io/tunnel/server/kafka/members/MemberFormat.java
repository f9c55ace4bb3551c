package io.tunnel.server.kafka.members;

import com.google.gson.Gson;
import io.tunnel.server.cluster.NodeInfo;
import io.tunnel.server.cluster.Placement;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * The bytes of introductions and placements: a version, then JSON, deflated because Kafka keeps the
 * complete group in one record.
 */
final class MemberFormat {

  private static final byte VERSION = 1;

  /** Most bytes of inflated JSON. */
  private static final int JSON_BYTES_MAX = 16 * 1024 * 1024;

  private static final Gson GSON = new Gson();

  private MemberFormat() {}

  /**
   * A member's introduction.
   *
   * @param seen the generation of the last placement that it received; -1 before the first
   * @param asked how many placements it has asked for: Kafka rebalances only when an introduction
   *     differs
   */
  record Said(NodeInfo node, long seen, long asked) {
    /** Refuses null, which a foreign member may send. */
    Said {
      Objects.requireNonNull(node, "node");
    }
  }

  static ByteBuffer encode(Said said) {
    return deflate(GSON.toJson(said));
  }

  static ByteBuffer encode(Placement placement) {
    return deflate(GSON.toJson(placement));
  }

  /**
   * @throws IOException when the bytes are no introduction of this version
   */
  static Said said(ByteBuffer bytes) throws IOException {
    return parse(bytes, Said.class);
  }

  /**
   * @throws IOException when the bytes are no placement of this version
   */
  static Placement placement(ByteBuffer bytes) throws IOException {
    return parse(bytes, Placement.class);
  }

  private static <T> T parse(ByteBuffer bytes, Class<T> type) throws IOException {
    if (bytes == null || bytes.remaining() < 1 || bytes.get(bytes.position()) != VERSION) {
      throw new IOException("not of version " + VERSION);
    }
    try {
      T value = GSON.fromJson(inflate(bytes.duplicate().position(bytes.position() + 1)), type);
      if (value == null) {
        throw new IOException("empty");
      }
      return value;
    } catch (RuntimeException e) {
      // Thrown by the JSON parser, or by a record that refuses its components.
      throw new IOException("damaged: " + e.getMessage(), e);
    }
  }

  private static ByteBuffer deflate(String json) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(VERSION);
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
      out.write(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("never, in memory", e);
    }
    return ByteBuffer.wrap(bytes.toByteArray());
  }

  private static String inflate(ByteBuffer bytes) throws IOException {
    byte[] deflated = new byte[bytes.remaining()];
    bytes.get(deflated);
    try (InputStream in = new InflaterInputStream(new ByteArrayInputStream(deflated))) {
      byte[] json = in.readNBytes(JSON_BYTES_MAX + 1);
      if (json.length > JSON_BYTES_MAX) {
        throw new IOException("more than " + JSON_BYTES_MAX + " bytes");
      }
      return new String(json, StandardCharsets.UTF_8);
    }
  }
}
