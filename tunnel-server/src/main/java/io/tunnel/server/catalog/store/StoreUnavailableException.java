package io.tunnel.server.catalog.store;

import java.io.IOException;

/**
 * The store cannot be reached at present, and the write is not stored. After an {@link
 * UnknownOutcomeException}, the write may be stored: the store accepts no other write before it
 * knows the outcome, and tells its listener when the write was stored.
 */
public sealed class StoreUnavailableException extends IOException permits UnknownOutcomeException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the failed task. */
  public StoreUnavailableException(String message) {
    super(message);
  }

  /** With a message that names the failed task, and a cause. */
  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
