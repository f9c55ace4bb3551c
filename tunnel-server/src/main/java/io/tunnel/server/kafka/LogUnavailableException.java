package io.tunnel.server.kafka;

import java.io.IOException;

/** Kafka did not do what was asked within the bound; it may still do it. Ask again later. */
public final class LogUnavailableException extends IOException {

  private static final long serialVersionUID = 1L;

  LogUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
