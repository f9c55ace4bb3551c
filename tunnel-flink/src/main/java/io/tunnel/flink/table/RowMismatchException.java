package io.tunnel.flink.table;

/** A stored row is not what the SQL table is declared to be; says which row, and in what. */
public final class RowMismatchException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public RowMismatchException(String message) {
    super(message);
  }
}
