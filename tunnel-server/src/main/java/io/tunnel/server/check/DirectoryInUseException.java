package io.tunnel.server.check;

import java.io.IOException;

/** A server has the data directory open. */
public final class DirectoryInUseException extends IOException {

  private static final long serialVersionUID = 1L;

  DirectoryInUseException(String message) {
    super(message);
  }
}
