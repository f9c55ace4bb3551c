package io.tunnel.sdk;

/** The server could not be reached, or the connection was lost before the server answered. */
public final class ConnectionException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final boolean retriable;
  private final boolean isLasting;

  /** A failure of a connection. */
  public ConnectionException(String message, boolean retriable, Throwable cause) {
    this(message, retriable, false, cause);
  }

  private ConnectionException(
      String message, boolean retriable, boolean isLasting, Throwable cause) {
    super(message, cause);
    this.retriable = retriable;
    this.isLasting = isLasting;
  }

  /** A failure before sending, for a reason that {@link #isLasting}. */
  public static ConnectionException lasting(String message, Throwable cause) {
    return new ConnectionException(message, false, true, cause);
  }

  /**
   * Whether the request certainly was not applied, because it did not reach the server whole;
   * sending the request again is safe. If false, the request is in doubt, unless the reason {@link
   * #isLasting}.
   */
  public boolean retriable() {
    return retriable;
  }

  /**
   * Whether retries cannot help until the endpoint, the profile, a certificate or the server
   * changes: a certificate is not trusted, only one side speaks TLS, or the endpoint is the HTTP
   * port of a server or another program. Nothing was applied.
   */
  public boolean isLasting() {
    return isLasting;
  }
}
