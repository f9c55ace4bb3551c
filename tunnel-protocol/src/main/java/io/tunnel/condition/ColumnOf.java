package io.tunnel.condition;

/** Whose column a condition names. */
public enum ColumnOf {
  /**
   * The row as it is stored when the condition is evaluated: the row that a scan reads, that a
   * write is about to change, or that a change of the stream left behind.
   */
  ROW("", 0),
  /** The row before a change. */
  BEFORE("before.", 1),
  /** What a change sets; a column that the change removes or leaves alone is missing. */
  CHANGE("change.", 2);

  private final String prefix;
  private final int code;

  ColumnOf(String prefix, int code) {
    this.prefix = prefix;
    this.code = code;
  }

  /** What stands before the column's name in a text. */
  String prefix() {
    return prefix;
  }

  /** The number in an encoded condition; never changes. */
  int code() {
    return code;
  }
}
