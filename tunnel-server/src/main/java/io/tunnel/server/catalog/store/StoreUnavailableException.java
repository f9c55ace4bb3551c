package io.tunnel.server.catalog.store;

import java.io.IOException;

/**
 * A store cannot be reached for the moment, and what was to be written is not stored; unless it is
 * an {@link UnknownOutcomeException}. Of such a write the store does not lose sight: it takes
 * nothing else before it knows, and tells when it was stored after all.
 */
public sealed class StoreUnavailableException extends IOException permits UnknownOutcomeException {

  private static final long serialVersionUID = 1L;

  /** Says what could not be done. */
  public StoreUnavailableException(String message) {
    super(message);
  }

  /** Says what could not be done, and why. */
  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
