package io.tunnel.model;

/**
 * What must hold of a row before a change to it is applied; otherwise {@link
 * ErrorCode#CONDITION_FAILED}.
 */
public enum RowExistenceExpectation {
  /** Nothing. */
  IGNORE(0),
  /** The row exists. */
  EXPECT_EXIST(1),
  /** The row does not exist. */
  EXPECT_NOT_EXIST(2);

  private final int code;

  RowExistenceExpectation(int code) {
    this.code = code;
  }

  /** The number on the wire and on disk; never changes. */
  public int code() {
    return code;
  }
}
