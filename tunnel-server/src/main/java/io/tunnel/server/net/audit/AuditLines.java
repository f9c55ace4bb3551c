package io.tunnel.server.net.audit;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import io.tunnel.model.Limits;
import io.tunnel.server.security.Subjects;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Optional;

/**
 * Entries as lines of JSON. Texts of clients become strings of at most {@value #TEXT_CHARS_MAX}
 * characters, or {@value #LIST_CHARS_MAX} in lists of successful requests. Control characters are
 * replaced, so no name starts a second line or commands a terminal.
 */
final class AuditLines {

  /**
   * Characters of one text: a table and its tunnel. A longer text is cut, and ends with {@value
   * #CUT}.
   */
  static final int TEXT_CHARS_MAX = 520;

  /** Characters of the detail of a request that was done: its lists are whole. */
  static final int LIST_CHARS_MAX = Limits.NAMING_REQUEST_BYTES_MAX;

  private static final String CUT = "...";
  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final Optional<String> node;

  /** Lines that name the node, in a cluster. */
  AuditLines(Optional<String> node) {
    this.node = node;
  }

  private JsonObject line(long epochMs) {
    JsonObject line = new JsonObject();
    line.addProperty("time", Instant.ofEpochMilli(epochMs).toString());
    add(line, "node", node);
    return line;
  }

  /** The line of a request, with its outcome. */
  byte[] of(AuditTrail.Entry entry, long epochMs) {
    JsonObject line = line(epochMs);
    add(line, "principal", entry.who().principal());
    add(line, "address", entry.who().address());
    add(line, "operation", Optional.of(entry.operation()));
    add(line, "resource", entry.resource());
    entry
        .detail()
        .ifPresent(
            said ->
                line.addProperty(
                    "detail",
                    shown(
                        said,
                        entry.outcome().equals(AuditTrail.OK) ? LIST_CHARS_MAX : TEXT_CHARS_MAX)));
    add(line, "outcome", Optional.of(entry.outcome()));
    return bytes(line);
  }

  /**
   * The line of refusals that were only counted.
   *
   * @param member the JSON member of the subject: {@code principal} or {@code address}
   */
  byte[] of(RepeatsCore.Repeated repeated, String member, long epochMs) {
    JsonObject line = line(epochMs);
    add(line, member, Optional.of(repeated.subject()).filter(name -> !name.isEmpty()));
    line.addProperty("refusals", repeated.count());
    line.addProperty("since", Instant.ofEpochMilli(repeated.sinceMs()).toString());
    return bytes(line);
  }

  /** Lines that could not be written. */
  byte[] missing(long count, long epochMs) {
    JsonObject line = line(epochMs);
    line.addProperty("missing", count);
    return bytes(line);
  }

  private static byte[] bytes(JsonObject line) {
    return (GSON.toJson(line) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static void add(JsonObject line, String member, Optional<String> text) {
    text.ifPresent(said -> line.addProperty(member, shown(said, TEXT_CHARS_MAX)));
  }

  private static String shown(String said, int charsMax) {
    StringBuilder shown = new StringBuilder();
    int end = Math.min(said.length(), charsMax);
    for (int i = 0; i < end; i++) {
      char c = said.charAt(i);
      // Half of a surrogate pair is not printable, so no text is cut inside a pair.
      shown.append(Subjects.isPrintable(c) ? c : '?');
    }
    return end < said.length() ? shown.append(CUT).toString() : shown.toString();
  }
}
