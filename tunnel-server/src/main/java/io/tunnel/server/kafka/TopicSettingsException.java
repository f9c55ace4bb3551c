package io.tunnel.server.kafka;

import java.io.IOException;
import java.util.List;

/**
 * Topics are not as they must be; the message says of each setting what it is, what it must be, and
 * the command that mends it.
 */
final class TopicSettingsException extends IOException {

  private static final long serialVersionUID = 1L;

  TopicSettingsException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
