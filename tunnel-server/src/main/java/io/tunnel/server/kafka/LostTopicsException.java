package io.tunnel.server.kafka;

import java.io.IOException;

/**
 * Topics of a cluster are gone while others of it are there. A node does not start then: what it
 * would make in their place says that there are no tables, and so that everything else may go. The
 * message says what was found, what would be right, and how an operator goes on.
 */
public final class LostTopicsException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Says what was found, what would be right, and how to go on. */
  public LostTopicsException(String message) {
    super(message);
  }
}
