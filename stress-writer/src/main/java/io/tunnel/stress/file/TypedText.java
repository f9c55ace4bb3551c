package io.tunnel.stress.file;

import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Text as values. */
public final class TypedText {

  /** Stands in an AUTO column of a key for the number that the server chooses. */
  static final String AUTO = "auto";

  /** Without leading zeros: 007 is a name, not a number. */
  private static final Pattern INTEGER = Pattern.compile("-?(0|[1-9][0-9]{0,18})");

  private static final Pattern DOUBLE =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)");

  private static final Pattern TYPED_INTEGER = Pattern.compile("[+-]?[0-9]+");

  /** Not all that Java reads, such as 5d, 0x1p3 and the digits of other scripts. */
  private static final Pattern TYPED_DOUBLE =
      Pattern.compile("[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|[+-]?Infinity");

  private static final Pattern NOT_ZERO = Pattern.compile("[+-]?[0.]*[1-9].*");

  private TypedText() {}

  /**
   * The value that {@code text} looks like: an INTEGER that fits into 64 bits, a finite DOUBLE with
   * a point or an exponent, a BOOLEAN ({@code true} or {@code false}), else a STRING.
   */
  public static ColumnValue infer(String text) {
    if (text.isEmpty()) {
      return ColumnValue.fromString(text);
    }
    char first = text.charAt(0);
    if (first == '-' || (first >= '0' && first <= '9')) {
      return number(text).orElseGet(() -> ColumnValue.fromString(text));
    }
    String lower = text.length() <= 5 ? text.toLowerCase(Locale.ROOT) : "";
    if (lower.equals("true") || lower.equals("false")) {
      return ColumnValue.fromBoolean(lower.equals("true"));
    }
    return ColumnValue.fromString(text);
  }

  /**
   * The INTEGER or DOUBLE of a JSON number.
   *
   * @throws IllegalArgumentException when neither type holds the number
   */
  static ColumnValue inferNumber(String text) {
    return number(text)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no INTEGER and no DOUBLE holds the number "
                        + shorten(text)
                        + "; --types COLUMN:STRING keeps its digits, and --types COLUMN:DOUBLE"
                        + " rounds an integer of more than 64 bits"));
  }

  private static Optional<ColumnValue> number(String text) {
    if (INTEGER.matcher(text).matches()) {
      try {
        return Optional.of(ColumnValue.fromLong(Long.parseLong(text)));
      } catch (NumberFormatException tooBig) {
        return Optional.empty();
      }
    }
    return DOUBLE.matcher(text).matches() && isHeld(text, Double.parseDouble(text))
        ? Optional.of(ColumnValue.fromDouble(Double.parseDouble(text)))
        : Optional.empty();
  }

  /** Whether a number of digits became neither infinite nor, without being it, zero. */
  private static boolean isHeld(String digits, double number) {
    return Double.isFinite(number) && (number != 0 || !NOT_ZERO.matcher(digits).matches());
  }

  /**
   * {@code text} as a value of {@code type}; an error says what it is not. BINARY is hexadecimal.
   */
  public static ColumnValue parse(String text, ColumnType type) {
    try {
      return switch (type) {
        case INTEGER -> ColumnValue.fromLong(parseInteger(text.strip()));
        case DOUBLE -> ColumnValue.fromDouble(parseDouble(text.strip()));
        case BOOLEAN -> ColumnValue.fromBoolean(parseBoolean(text.strip()));
        case STRING -> ColumnValue.fromString(text);
        case BINARY -> ColumnValue.fromBinary(Bytes.fromHex(text.strip()).toByteArray());
      };
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'"
              + shorten(text)
              + "' is no "
              + type
              + (e instanceof UnheldNumberException ? ": " + e.getMessage() : "")
              + (type == ColumnType.BINARY ? " (two hexadecimal digits a byte)" : ""),
          e);
    }
  }

  /** {@code text} as the value of a key column; {@link #AUTO} in one that the server numbers. */
  static PrimaryKeyValue parseKey(String text, PrimaryKeySchema column) {
    return column.isAuto() && text.strip().equalsIgnoreCase(AUTO)
        ? PrimaryKeyValue.auto()
        : PrimaryKeyValue.fromColumn(parse(text, ColumnType.valueOf(column.type().name())));
  }

  /** A number that its type has no place for; says why. */
  private static final class UnheldNumberException extends NumberFormatException {

    private static final long serialVersionUID = 1L;

    UnheldNumberException(String message) {
      super(message);
    }
  }

  private static long parseInteger(String text) {
    if (!TYPED_INTEGER.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new UnheldNumberException("it does not fit into 64 bits");
    }
  }

  private static double parseDouble(String text) {
    if (!TYPED_DOUBLE.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    double number = Double.parseDouble(text);
    if (!text.endsWith("N") && !text.endsWith("y") && !isHeld(text, number)) {
      throw new UnheldNumberException(
          number == 0 ? "it is too near to 0 to be held" : "it is too large to be held");
    }
    return number;
  }

  private static boolean parseBoolean(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1" -> true;
      case "false", "0" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private static String shorten(String text) {
    return text.length() <= 40 ? text : text.substring(0, 40) + "…";
  }
}
