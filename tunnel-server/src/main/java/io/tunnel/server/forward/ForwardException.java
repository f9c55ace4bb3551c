package io.tunnel.server.forward;

/** A forwarded request got no answer. The message says what failed, where and why. */
public final class ForwardException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why no answer came. */
  public enum Reason {
    /** The cluster has no node of the requested name now; the request was not sent. */
    UNKNOWN_NODE(false),
    /** The node could not be reached, or did not let this server in; the request was not sent. */
    UNREACHABLE(false),
    /** The deadline passed. */
    DEADLINE(true),
    /** The connection ended before the answer. */
    DISCONNECTED(true),
    /** This server is stopping. */
    CLOSED(true);

    private final boolean mayHaveEffect;

    Reason(boolean mayHaveEffect) {
      this.mayHaveEffect = mayHaveEffect;
    }

    /** Whether the request may have been carried out. */
    public boolean mayHaveEffect() {
      return mayHaveEffect;
    }
  }

  ForwardException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Why no answer came. */
  public Reason reason() {
    return reason;
  }
}
