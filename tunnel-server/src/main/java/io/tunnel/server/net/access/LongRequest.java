package io.tunnel.server.net.access;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.RefusedException;
import io.tunnel.wire.Operation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Reads the name out of the beginning of a long request in JSON, so that a client without the right
 * on that name makes the server parse {@value #BEGINNING_BYTES_MAX} bytes and not 8 MiB. After that
 * the whole request is judged once more, because it may contain the name twice.
 */
final class LongRequest {

  /** The first bytes of a long request, which must name its resource. */
  static final int BEGINNING_BYTES_MAX = 64 * 1024;

  private LongRequest() {}

  /** Whether the request is so long that its beginning is judged first. */
  static boolean is(Operation operation, byte[] payload) {
    return payload.length > Limits.NAMING_REQUEST_BYTES_MAX
        && (operation == Operation.CREATE_TABLE || operation == Operation.SEEK);
  }

  /**
   * The text of a member at the top of the request.
   *
   * @throws RefusedException INVALID_REQUEST when the member is not in the beginning
   */
  static String member(byte[] payload, String name) {
    return find(payload, name).orElseThrow(() -> tooLate(payload, name));
  }

  /** Likewise the text of a member of an object at the top of the request. */
  static String member(byte[] payload, String object, String name) {
    return find(payload, object, name).orElseThrow(() -> tooLate(payload, object + "." + name));
  }

  private static RefusedException tooLate(byte[] payload, String name) {
    return new RefusedException(
        ErrorCode.INVALID_REQUEST,
        "a request of "
            + payload.length
            + " bytes has its '"
            + name
            + "' in its first "
            + BEGINNING_BYTES_MAX
            + " bytes; put it first");
  }

  /** The text at a path, if the beginning contains it. */
  static Optional<String> find(byte[] payload, String... path) {
    JsonReader in =
        new JsonReader(
            new InputStreamReader(
                new ByteArrayInputStream(payload, 0, Math.min(payload.length, BEGINNING_BYTES_MAX)),
                StandardCharsets.UTF_8));
    in.setStrictness(Strictness.STRICT);
    try {
      int found = 0;
      in.beginObject();
      while (in.hasNext()) {
        if (!in.nextName().equals(path[found])) {
          in.skipValue();
        } else if (++found == path.length) {
          return Optional.of(in.nextString());
        } else {
          in.beginObject();
        }
      }
      return Optional.empty();
    } catch (IOException | IllegalStateException e) {
      // The beginning ends first, or is not JSON: the name is missing.
      return Optional.empty();
    }
  }
}
