package io.tunnel.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A request was refused: the message tells the error and the remedy; carries the {@link ErrorCode}.
 */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  /** Null if unknown; not an {@link Optional}, which cannot be serialised. */
  private final String leader;

  /** 0 if unknown. */
  private final long writerDateMicros;

  /** A refusal. */
  public RefusedException(ErrorCode code, String message) {
    this(code, message, null, 0, null);
  }

  /** A refusal with a cause. */
  public RefusedException(ErrorCode code, String message, Throwable cause) {
    this(code, message, null, 0, cause);
  }

  private RefusedException(
      ErrorCode code, String message, String leader, long writerDateMicros, Throwable cause) {
    super(message, cause);
    this.code = Objects.requireNonNull(code, "code");
    this.leader = leader;
    this.writerDateMicros = writerDateMicros;
  }

  /**
   * A refusal with {@link ErrorCode#NOT_LEADER}.
   *
   * @param leader HOST:PORT of the leader, if known
   */
  public static RefusedException notLeader(String message, Optional<String> leader) {
    return new RefusedException(ErrorCode.NOT_LEADER, message, leader.orElse(null), 0, null);
  }

  /**
   * A refusal with {@link ErrorCode#WRITER_ENDED}.
   *
   * @param dateMicros a date under which the partition takes the writer, in microseconds since
   *     1970; 0 if unknown
   */
  public static RefusedException writerEnded(String message, long dateMicros) {
    return new RefusedException(ErrorCode.WRITER_ENDED, message, null, dateMicros, null);
  }

  /**
   * A copy of this refusal with the stack of the calling thread, and this refusal as its cause.
   * Shows the waiting caller in the trace of a refusal from another thread.
   */
  public RefusedException again() {
    return new RefusedException(code, getMessage(), leader, writerDateMicros, this);
  }

  /** For {@link ErrorCode#NOT_LEADER}: HOST:PORT of the leader, if known. */
  public Optional<String> leader() {
    return Optional.ofNullable(leader);
  }

  /**
   * For {@link ErrorCode#WRITER_ENDED}: a date under which the partition takes the writer, in
   * microseconds since 1970; 0 if unknown.
   */
  public long writerDateMicros() {
    return writerDateMicros;
  }

  /** Why. */
  public ErrorCode code() {
    return code;
  }

  /** Whether a repetition does no harm and may succeed later. */
  public boolean retriable() {
    return code.retriable();
  }

  /** The class, the code and the message. */
  @SuppressWarnings("OverrideThrowableToString") // The message is for people.
  @Override
  public String toString() {
    return getClass().getName() + ": " + code + ": " + getMessage();
  }
}
