package io.tunnel.server.kafka;

import java.io.IOException;

/** Kafka did not carry out a request in time, and may still do so. Retry later. */
public final class LogUnavailableException extends IOException {

  private static final long serialVersionUID = 1L;

  /** With a message that says what Kafka did not do. */
  public LogUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
