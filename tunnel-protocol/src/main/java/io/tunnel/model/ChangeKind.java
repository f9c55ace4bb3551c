package io.tunnel.model;

/** The effect of a change on its row. */
public enum ChangeKind {
  /** Replaces the complete row. */
  PUT(1),
  /** Sets and removes single columns; creates the row if it does not exist. */
  UPDATE(2),
  /** Removes the row. */
  DELETE(3);

  private final int code;

  ChangeKind(int code) {
    this.code = code;
  }

  /** The number on the wire and on disk; never changes. */
  public int code() {
    return code;
  }
}
