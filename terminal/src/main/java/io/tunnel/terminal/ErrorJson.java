package io.tunnel.terminal;

import java.util.Locale;

/** An error as one line of JSON, for the programs that asked for JSON. */
final class ErrorJson {

  private ErrorJson() {}

  /** {@code {"error":{"command":…,"code":…,"message":…,"hint":…,"exitCode":…}}}. */
  static String of(String command, CommandFailure failure) {
    StringBuilder json = new StringBuilder("{\"error\":{");
    member(json, "command", command);
    member(json, "code", failure.code());
    member(json, "message", failure.getMessage());
    if (!failure.hint().isEmpty()) {
      member(json, "hint", failure.hint());
    }
    return json.append("\"exitCode\":").append(failure.exitCode()).append("}}").toString();
  }

  private static void member(StringBuilder json, String name, String text) {
    json.append('"').append(name).append("\":\"");
    for (int i = 0; i < text.length(); i++) {
      char next = text.charAt(i);
      if (next == '"' || next == '\\') {
        json.append('\\').append(next);
      } else if (next < ' ' || (next >= 0x7f && next < 0xa0) || Character.isSurrogate(next)) {
        json.append(String.format(Locale.ROOT, "\\u%04x", (int) next));
      } else {
        json.append(next);
      }
    }
    json.append("\",");
  }
}
