package io.tunnel.model;

/** The direction of reading a range. */
public enum Direction {
  /** From the lowest key to the highest. */
  FORWARD(0),
  /** From the highest key to the lowest. */
  BACKWARD(1);

  private final int code;

  Direction(int code) {
    this.code = code;
  }

  /** The number on the wire; never changes. */
  public int code() {
    return code;
  }
}
