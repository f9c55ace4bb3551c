package io.tunnel.sdk;

/** The server could not be reached, or the connection was lost before it had answered. */
public final class ConnectionException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean retriable;
  private final boolean isLasting;

  /** An error of the connection. */
  public ConnectionException(String message, boolean retriable, Throwable cause) {
    this(message, retriable, false, cause);
  }

  private ConnectionException(
      String message, boolean retriable, boolean isLasting, Throwable cause) {
    super(message, cause);
    this.retriable = retriable;
    this.isLasting = isLasting;
  }

  /** A server was not reached, and nothing was sent, for a reason that {@link #isLasting}. */
  public static ConnectionException lasting(String message, Throwable cause) {
    return new ConnectionException(message, false, true, cause);
  }

  /**
   * Whether the request certainly did not reach the server whole, so that nothing of it was
   * applied, and it may be sent again. Otherwise whether it was applied is not known, unless the
   * reason {@link #isLasting}.
   */
  public boolean retriable() {
    return retriable;
  }

  /**
   * Whether no waiting cures it, but a change of the profile, of a certificate or of the server: a
   * certificate is not trusted, or one side speaks TLS and the other does not. Nothing was applied.
   */
  public boolean isLasting() {
    return isLasting;
  }
}
