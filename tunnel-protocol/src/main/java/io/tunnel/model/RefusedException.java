package io.tunnel.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A request was refused: says what was wrong and what would be right, and carries the {@link
 * ErrorCode}.
 */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** Null when there is none to say; not an {@link Optional}, which cannot be serialised. */
  private final String leader;

  /** A refusal. */
  public RefusedException(ErrorCode code, String message) {
    this(code, message, null, null);
  }

  /** A refusal for the reason that {@code cause} has. */
  public RefusedException(ErrorCode code, String message, Throwable cause) {
    this(code, message, null, cause);
  }

  private RefusedException(ErrorCode code, String message, String leader, Throwable cause) {
    super(message, cause);
    this.code = Objects.requireNonNull(code, "code");
    this.leader = leader;
  }

  /**
   * A refusal with {@link ErrorCode#NOT_LEADER}.
   *
   * @param leader HOST:PORT of the node to ask instead, if it is known
   */
  public static RefusedException notLeader(String message, Optional<String> leader) {
    return new RefusedException(ErrorCode.NOT_LEADER, message, leader.orElse(null), null);
  }

  /**
   * A copy of this refusal with the stack of the calling thread, and this one as its cause. For a
   * refusal that another thread met: the caller that waited is found in the trace.
   */
  public RefusedException again() {
    return new RefusedException(code, getMessage(), leader, this);
  }

  /** Of {@link ErrorCode#NOT_LEADER}: HOST:PORT of the node to ask instead, if it is known. */
  public Optional<String> leader() {
    return Optional.ofNullable(leader);
  }

  /** Why. */
  public ErrorCode code() {
    return code;
  }

  /** Whether the same request may succeed later; nothing of it was applied then. */
  public boolean retriable() {
    return code.retriable();
  }

  /** As any exception, with the code before the message: a trace shows it. */
  @SuppressWarnings("OverrideThrowableToString") // The message is for people.
  @Override
  public String toString() {
    return getClass().getName() + ": " + code + ": " + getMessage();
  }
}
