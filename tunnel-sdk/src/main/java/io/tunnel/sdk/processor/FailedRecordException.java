package io.tunnel.sdk.processor;

import java.util.Objects;
import java.util.Optional;

/**
 * Thrown by a processor that knows which record of its input fails. If the failure policy decides
 * {@link FailurePolicy.Skip}, the worker skips exactly that change. Retries, the log and tunnel
 * descriptions name the change.
 */
public final class FailedRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int CAUSES_MAX = 16;

  /** The record's position. */
  private final long position;

  /**
   * The processor fails at {@code record}.
   *
   * @param record a record of the processor's input
   * @param cause the reason
   */
  public FailedRecordException(StreamRecord record, Throwable cause) {
    super(
        "the change at position " + record.position() + " cannot be processed: " + cause,
        Objects.requireNonNull(cause, "cause"));
    this.position = record.position();
  }

  /** The position of the record. */
  public long position() {
    return position;
  }

  /** The first exception that names a record: {@code error} or one of its causes. */
  public static Optional<FailedRecordException> in(Throwable error) {
    Throwable each = error;
    for (int i = 0; i < CAUSES_MAX && each != null; i++) {
      if (each instanceof FailedRecordException named) {
        return Optional.of(named);
      }
      each = each.getCause();
    }
    return Optional.empty();
  }

  /** True when {@code error} or one of its causes has one of the {@code types}. */
  public static boolean isCausedBy(Throwable error, Iterable<Class<? extends Throwable>> types) {
    Throwable each = error;
    for (int i = 0; i < CAUSES_MAX && each != null; i++) {
      for (Class<? extends Throwable> type : types) {
        if (type.isInstance(each)) {
          return true;
        }
      }
      each = each.getCause();
    }
    return false;
  }
}
