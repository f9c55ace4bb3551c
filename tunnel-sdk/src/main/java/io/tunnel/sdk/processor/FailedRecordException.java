package io.tunnel.sdk.processor;

import java.util.Objects;
import java.util.Optional;

/**
 * Thrown by a processor that knows which record of its input it fails at. If the failure policy
 * says {@link FailurePolicy.Skip}, exactly that change is left out; and retries, the log and
 * descriptions name it.
 */
public final class FailedRecordException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int CAUSES_MAX = 16;

  /** The record's position. */
  private final long position;

  /**
   * The processor fails at a record.
   *
   * @param record one of the input's
   * @param cause why
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

  /** The error, or the first of its causes, that names a record. */
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

  /** Whether the error or one of its causes is of one of these types. */
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
