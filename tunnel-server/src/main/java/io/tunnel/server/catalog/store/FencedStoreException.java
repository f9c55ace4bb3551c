package io.tunnel.server.catalog.store;

import java.io.IOException;

/**
 * The store accepts no more writes of this node, because another node leads its unit or may do so.
 * The write is not stored.
 */
public final class FencedStoreException extends IOException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the store and the reason. */
  public FencedStoreException(String message, Throwable cause) {
    super(message, cause);
  }
}
