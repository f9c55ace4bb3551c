package io.tunnel.server.kafka;

import java.io.IOException;

/**
 * Some topics of a cluster are gone while other topics of it exist. A node does not start then: a
 * new, empty catalog would say that there are no tables, and that everything else may be deleted.
 * The message says what was found, what is expected, and how an operator continues.
 */
public final class LostTopicsException extends IOException {

  private static final long serialVersionUID = 1L;

  /** With a message that says what was found, what is expected, and how to continue. */
  public LostTopicsException(String message) {
    super(message);
  }
}
