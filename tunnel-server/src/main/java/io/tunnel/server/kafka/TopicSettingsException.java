package io.tunnel.server.kafka;

import java.io.IOException;
import java.util.List;

/**
 * Topics have wrong settings; for each one the message gives the present and the required value,
 * and the command that fixes it.
 */
final class TopicSettingsException extends IOException {

  private static final long serialVersionUID = 1L;

  TopicSettingsException(List<String> problems) {
    super(String.join("\n", problems));
  }
}
