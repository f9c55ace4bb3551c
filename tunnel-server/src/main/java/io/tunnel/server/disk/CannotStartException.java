package io.tunnel.server.disk;

import java.io.IOException;
import java.util.Objects;

/** A server cannot start, for a reason that is not a file or a disk that failed. */
public final class CannotStartException extends IOException {

  private static final long serialVersionUID = 1L;

  private final Reason reason;

  /** Why not. */
  public enum Reason {
    /** The settings cannot be; no other attempt helps. */
    SETTINGS,
    /** Another process has what the server needs. */
    IN_USE
  }

  /** With a message for people; {@code cause} may be null. */
  public CannotStartException(Reason reason, String message, Throwable cause) {
    super(message, cause);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** Why not. */
  public Reason reason() {
    return reason;
  }
}
