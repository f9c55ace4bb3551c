package io.tunnel.server.partition;

import java.io.IOException;

/** There is a log under a table's id that is not the one of that table: it needs another id. */
public final class LogTakenException extends IOException {

  private static final long serialVersionUID = 1L;

  /** The message names the difference between the existing log and the log of the table. */
  public LogTakenException(String message, Throwable cause) {
    super(message, cause);
  }
}
