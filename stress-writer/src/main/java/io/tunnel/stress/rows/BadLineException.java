package io.tunnel.stress.rows;

/** A line of the user's file is not a row; says which line and what would be right. */
public final class BadLineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  public BadLineException(String message) {
    super(message);
  }
}
