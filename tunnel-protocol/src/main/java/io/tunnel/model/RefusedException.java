package io.tunnel.model;

import java.util.Objects;

/**
 * A request was refused: says what was wrong and what would be right, and carries the {@link
 * ErrorCode}.
 */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** A refusal. */
  public RefusedException(ErrorCode code, String message) {
    super(message);
    this.code = Objects.requireNonNull(code, "code");
  }

  /** Why. */
  public ErrorCode code() {
    return code;
  }

  /** Whether the same request may succeed later; nothing of it was applied then. */
  public boolean retriable() {
    return code.retriable();
  }
}
