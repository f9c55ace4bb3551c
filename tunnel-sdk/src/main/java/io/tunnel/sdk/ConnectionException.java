package io.tunnel.sdk;

/** The server could not be reached, or the connection was lost before it had answered. */
public final class ConnectionException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean retriable;

  /** An error of the connection. */
  public ConnectionException(String message, boolean retriable, Throwable cause) {
    super(message, cause);
    this.retriable = retriable;
  }

  /**
   * Whether the request certainly did not reach the server whole, so that nothing of it was
   * applied. Otherwise whether it was applied is not known.
   */
  public boolean retriable() {
    return retriable;
  }
}
