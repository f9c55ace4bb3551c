package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import java.util.Objects;
import java.util.Optional;

/**
 * The outcome of one row of a write.
 *
 * @param outcome whether the row was applied
 * @param partition the id of the row's partition; -1 when the row was assigned to none
 * @param position the position of the change when {@link Outcome#APPLIED}, otherwise -1
 * @param error the server's error code, if any
 * @param message for people; empty when applied
 * @param returned what the change asked to be returned
 */
public record RowResult(
    Outcome outcome,
    int partition,
    long position,
    Optional<ErrorCode> error,
    String message,
    Returned returned) {

  /** Whether a row was applied. */
  public enum Outcome {
    /** Applied with the requested durability. */
    APPLIED,
    /** Refused by the server; not applied. */
    REJECTED,
    /**
     * The connection was lost, the deadline passed or the server's disk failed before the answer:
     * the row may have been applied, or may still be applied. The SDK has repeated the row until
     * the write's retry deadline, where the service recognises a repetition. Elsewhere the SDK does
     * not repeat, because the row might be applied twice.
     */
    IN_DOUBT,
    /** Never left this process whole, or was refused as retriable for too long; not applied. */
    NOT_SENT
  }

  /** Refuses null. */
  public RowResult {
    Objects.requireNonNull(outcome, "outcome");
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(returned, "returned");
  }

  /** The outcome of a row that returns nothing. */
  public RowResult(
      Outcome outcome, int partition, long position, Optional<ErrorCode> error, String message) {
    this(outcome, partition, position, error, message, Returned.NOTHING);
  }

  /** The same outcome, which returns this. */
  public RowResult returning(Returned other) {
    return new RowResult(outcome, partition, position, error, message, other);
  }

  /** An applied row. */
  public static RowResult applied(int partition, long position) {
    return new RowResult(Outcome.APPLIED, partition, position, Optional.empty(), "");
  }

  /** Whether the row was applied. */
  public boolean isApplied() {
    return outcome == Outcome.APPLIED;
  }
}
