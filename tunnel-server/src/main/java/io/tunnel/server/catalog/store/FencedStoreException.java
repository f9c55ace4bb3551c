package io.tunnel.server.catalog.store;

import java.io.IOException;

/**
 * A store takes nothing from this node any more, because another node leads what is kept there, or
 * could. The write is not stored.
 */
public final class FencedStoreException extends IOException {

  private static final long serialVersionUID = 1L;

  /** Says which store, and why. */
  public FencedStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
