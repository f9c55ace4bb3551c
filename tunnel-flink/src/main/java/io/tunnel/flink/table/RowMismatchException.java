package io.tunnel.flink.table;

/**
 * A stored row does not match the declared SQL table; the message names the row and the difference.
 */
public final class RowMismatchException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RowMismatchException(String message) {
    super(message);
  }
}
