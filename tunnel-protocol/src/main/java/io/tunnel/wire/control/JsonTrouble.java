package io.tunnel.wire.control;

import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains Gson's errors in words for people. Gson wraps all exceptions, including those from a
 * record's constructor, and its messages name its own methods.
 */
public final class JsonTrouble {

  private static final Pattern PLACE =
      Pattern.compile(" at (line [0-9]+ column [0-9]+)(?: path \\$\\.?(\\S*))?");

  private static final Pattern SHAPE = Pattern.compile("Expected (?:an? )?(\\w+) but was (\\w+)");

  private static final Map<String, String> THINGS =
      Map.ofEntries(
          Map.entry("BEGIN_OBJECT", "an object"),
          Map.entry("BEGIN_ARRAY", "a list"),
          Map.entry("END_OBJECT", "the end of the object"),
          Map.entry("END_ARRAY", "the end of the list"),
          Map.entry("END_DOCUMENT", "the end"),
          Map.entry("NAME", "a name"),
          Map.entry("name", "a name"),
          Map.entry("STRING", "a text"),
          Map.entry("string", "a text"),
          Map.entry("NUMBER", "a number"),
          Map.entry("double", "a number"),
          Map.entry("int", "a whole number"),
          Map.entry("long", "a whole number"),
          Map.entry("BOOLEAN", "true or false"),
          Map.entry("boolean", "true or false"),
          Map.entry("NULL", "null"));

  /** Longer paths are no help. */
  private static final int PATH_LENGTH_MAX = 100;

  private JsonTrouble() {}

  /** One line, without a full stop. */
  public static String of(Throwable error) {
    Throwable innermost = error;
    while (innermost.getCause() != null) {
      innermost = innermost.getCause();
    }
    String message = innermost.getMessage();
    if (innermost instanceof NullPointerException) {
      return message == null ? "null in a list" : "lacks a valid " + message;
    }
    if (message == null) {
      return "not what was expected";
    }
    String line = message.lines().findFirst().orElse("");
    if (innermost instanceof MalformedJsonException) {
      return (line.startsWith("Nesting limit") ? "nested too deeply" : "not JSON") + place(line);
    }
    if (innermost instanceof EOFException) {
      return "ends too early" + place(line);
    }
    if (innermost instanceof NumberFormatException) {
      return number(line);
    }
    Matcher shape = SHAPE.matcher(line);
    return shape.find()
        ? thing(shape.group(2)) + " where " + thing(shape.group(1)) + " belongs" + place(line)
        : line.replace("Not a JSON Object: ", "not a JSON object: ");
  }

  private static String number(String line) {
    int quote = line.indexOf('"');
    int end = line.lastIndexOf('"');
    return quote < 0 || quote == end
        ? "not a valid number"
        : "'" + line.substring(quote + 1, end) + "' is not a whole number of the right size";
  }

  private static String thing(String token) {
    return THINGS.getOrDefault(token, token);
  }

  private static String place(String line) {
    Matcher place = PLACE.matcher(line);
    if (!place.find()) {
      return "";
    }
    String path = place.group(2) == null ? "" : place.group(2).replaceFirst("\\.$", "");
    boolean isShown = !path.isEmpty() && path.length() <= PATH_LENGTH_MAX;
    return " at " + place.group(1) + (isShown ? " (" + path + ")" : "");
  }
}
