package io.tunnel.stress.file;

/** A file cannot be read on; nothing behind this place can be told to be a row. */
public final class UnreadableFileException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
