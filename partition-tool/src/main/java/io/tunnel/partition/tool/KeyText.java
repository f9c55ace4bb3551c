package io.tunnel.partition.tool;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Keys as people type and read them: INTEGER in decimal, STRING as it is, BINARY in hexadecimal;
 * the same text in options, in sample files and in JSON.
 */
public final class KeyText {

  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]+");

  /** A column that the server numbers: its name and its type. */
  private static final Pattern AUTO =
      Pattern.compile("(.+):([^:]+):\\s*AUTO\\s*", Pattern.CASE_INSENSITIVE);

  private KeyText() {}

  /**
   * The value that {@code text} is.
   *
   * @throws IllegalArgumentException when it is none of that type, or over the limit of a key
   *     column; says what would be right
   */
  public static PrimaryKeyValue parse(PrimaryKeyType type, String text) {
    PrimaryKeyValue value =
        switch (type) {
          case INTEGER -> PrimaryKeyValue.fromLong(parseInteger(text));
          case STRING -> PrimaryKeyValue.fromString(text);
          case BINARY -> PrimaryKeyValue.fromBinary(parseHex(text));
        };
    KeyCodec.encode(value); // Knows the limits.
    return value;
  }

  private static long parseInteger(String text) {
    try {
      String number = text.strip();
      if (!INTEGER.matcher(number).matches()) { // Java reads the digits of all scripts.
        throw new NumberFormatException(number);
      }
      return Long.parseLong(number);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an INTEGER (a whole number of 64 bits, such as 42)");
    }
  }

  private static byte[] parseHex(String text) {
    try {
      return Bytes.fromHex(text.strip()).toByteArray();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not BINARY (two hexadecimal digits a byte, such as 00ff12)");
    }
  }

  /** What {@link #parse} reads. */
  public static String format(PrimaryKeyValue value) {
    return value.toString();
  }

  /**
   * The key that {@code text} declares: {@code name:TYPE,name:TYPE,name:INTEGER:AUTO}.
   *
   * @throws IllegalArgumentException when it declares none; says what would be right
   */
  static List<PrimaryKeySchema> parseSchema(String text) {
    List<PrimaryKeySchema> columns = new ArrayList<>();
    for (String column : text.split(",", -1)) {
      Matcher auto = AUTO.matcher(column);
      if (auto.matches()) {
        columns.add(
            new PrimaryKeySchema(auto.group(1).strip(), parseType(auto.group(2).strip()), true));
        continue;
      }
      int colon = column.lastIndexOf(':');
      if (colon < 1) {
        throw new IllegalArgumentException(
            "--key '" + column + "' is not NAME:TYPE, such as hash:BINARY,uid:STRING");
      }
      String name = column.substring(0, colon).strip();
      columns.add(new PrimaryKeySchema(name, parseType(column.substring(colon + 1).strip())));
    }
    return columns;
  }

  private static PrimaryKeyType parseType(String text) {
    try {
      return PrimaryKeyType.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a type of a key column: INTEGER, STRING or BINARY");
    }
  }

  /** {@code (hash BINARY, uid STRING, seq INTEGER AUTO)}. */
  public static String formatSchema(List<PrimaryKeySchema> key) {
    return key.stream().map(PrimaryKeySchema::describe).collect(Collectors.joining(", ", "(", ")"));
  }
}
