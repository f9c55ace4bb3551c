package io.tunnel.server.backup.cluster;

import java.io.IOException;

/** Kafka has no cluster of this name. */
public final class NoSuchClusterException extends IOException {

  private static final long serialVersionUID = 1L;

  NoSuchClusterException(String message) {
    super(message);
  }
}
