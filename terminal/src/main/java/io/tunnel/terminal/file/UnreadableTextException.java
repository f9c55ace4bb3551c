package io.tunnel.terminal.file;

/** A text cannot be read on; says in which line and why, and not in which file. */
public final class UnreadableTextException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableTextException(String message, Throwable cause) {
    super(message, cause);
  }
}
