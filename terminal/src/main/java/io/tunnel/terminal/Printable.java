package io.tunnel.terminal;

/** Text of others made harmless for a terminal. */
public final class Printable {

  private static final int VALUE_LENGTH_MAX = 40;

  private Printable() {}

  /**
   * {@code text} on one line: control characters, which could move the cursor or change the colours
   * of the terminal, and unpaired surrogates are written as Java escapes.
   */
  public static String of(String text) {
    if (text.codePoints().noneMatch(Printable::isHarmful)) {
      return text;
    }
    StringBuilder printable = new StringBuilder(text.length() + 16);
    text.codePoints().forEach(point -> append(printable, point));
    return printable.toString();
  }

  /**
   * A value of somebody's row as {@link #of} makes it, cut to {@value #VALUE_LENGTH_MAX}
   * characters.
   */
  public static String cut(Object value) {
    String text = of(value.toString());
    int points = text.codePointCount(0, text.length());
    return points <= VALUE_LENGTH_MAX
        ? text
        : text.substring(0, text.offsetByCodePoints(0, VALUE_LENGTH_MAX - 1)) + "…";
  }

  private static void append(StringBuilder printable, int point) {
    if (!isHarmful(point)) {
      printable.appendCodePoint(point);
      return;
    }
    switch (point) {
      case '\n' -> printable.append("\\n");
      case '\r' -> printable.append("\\r");
      case '\t' -> printable.append("\\t");
      default -> printable.append(String.format("\\u%04x", point));
    }
  }

  /** Format characters are harmful too: they can turn the direction of the rest of the line. */
  private static boolean isHarmful(int point) {
    int type = Character.getType(point);
    return type == Character.CONTROL
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || (type == Character.FORMAT && point != 0x200d && point < 0x10000);
  }
}
