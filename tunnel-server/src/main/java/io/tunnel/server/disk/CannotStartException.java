package io.tunnel.server.disk;

import java.io.IOException;
import java.util.Objects;

/** A server cannot start, for another reason than a failed file or disk. */
public final class CannotStartException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** The reason. */
  public enum Reason {
    /** The settings are invalid; a retry does not help. */
    SETTINGS,
    /** Another process uses a port or directory that the server needs. */
    IN_USE
  }

  /** With a message for people; {@code cause} may be null. */
  public CannotStartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** The reason. */
  public Reason reason() {
    return reason;
  }
}
