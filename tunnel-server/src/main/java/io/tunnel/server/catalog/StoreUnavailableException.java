package io.tunnel.server.catalog;

import java.io.IOException;

/**
 * A store cannot be reached for the moment. Whether what was to be written is stored may not be
 * known yet; the store does not lose sight of it, takes nothing else before that is known, and
 * tells when it was stored after all.
 */
public final class StoreUnavailableException extends IOException {

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
