package io.tunnel.server.catalog.store;

/**
 * The outcome of a write is unknown. Either the store tells its listener later, or the next leader
 * reads the outcome.
 */
public final class UnknownOutcomeException extends StoreUnavailableException {

  private static final long serialVersionUID = 1L;

  /** With a message that names the write in doubt, and a cause. */
  public UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
