package io.tunnel.model;

/**
 * The condition of a change on the existence of its row; if false, the change fails with {@link
 * ErrorCode#CONDITION_FAILED}.
 */
public enum RowExistenceExpectation {
  /** No condition. */
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
