package io.tunnel.server.replica.append;

import java.io.IOException;

/** A log was trimmed, or lost its end, while it was read: begin again. */
public final class LogMovedException extends IOException {

  private static final long serialVersionUID = 1L;

  LogMovedException(String message) {
    super(message);
  }
}
