package io.tunnel.condition;

/** How a column is compared. */
public enum Operator {
  /** Both sides compare, and are equal. */
  EQUAL("=", 1),
  /** Everything that is not {@link #EQUAL}, also where the sides do not compare. */
  NOT_EQUAL("!=", 2),
  /** Both sides compare, and the column is less. */
  LESS("<", 3),
  /** Both sides compare, and the column is not greater. */
  AT_MOST("<=", 4),
  /** Both sides compare, and the column is greater. */
  GREATER(">", 5),
  /** Both sides compare, and the column is not less. */
  AT_LEAST(">=", 6),
  /** Both sides are STRING or both are BINARY, and the column begins with the other. */
  STARTS_WITH("starts with", 7);

  private final String text;
  private final int code;

  Operator(String text, int code) {
    this.text = text;
    this.code = code;
  }

  /** How a text writes it. */
  public String text() {
    return text;
  }

  /** The number in an encoded condition; never changes. */
  int code() {
    return code;
  }
}
