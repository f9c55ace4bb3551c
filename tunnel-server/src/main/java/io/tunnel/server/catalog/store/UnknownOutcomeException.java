package io.tunnel.server.catalog.store;

/**
 * It is not known whether a write was stored; a later read may find that it was. Either the store
 * tells later, or the next leader reads it.
 */
public final class UnknownOutcomeException extends StoreUnavailableException {

  private static final long serialVersionUID = 1L;

  /** Says what is in doubt, and why. */
  public UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
