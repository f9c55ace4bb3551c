package io.tunnel.server.replica.append;

import java.io.IOException;

/**
 * The shared log gave no answer in time, or did not say whether it has a record. The record may
 * still land. Retry later.
 */
public final class LogSilentException extends IOException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the log. */
  public LogSilentException(String message) {
    super(message);
  }
}
