package io.tunnel.sdk;

import io.tunnel.model.ErrorCode;
import java.util.Objects;
import java.util.Optional;

/**
 * What became of one row of a write.
 *
 * @param outcome whether it was applied
 * @param partition the partition it was sent to; -1 when it was never assigned to one
 * @param position its position inside the partition when {@link Outcome#APPLIED}, otherwise -1
 * @param error the server's code, when the server said one
 * @param message for people; empty when applied
 */
public record RowResult(
    Outcome outcome, int partition, long position, Optional<ErrorCode> error, String message) {

  /** Whether a row was applied. */
  public enum Outcome {
    /** Applied, and as durable as was asked for. */
    APPLIED,
    /** The server refused it: nothing was applied. */
    REJECTED,
    /**
     * The connection was lost, the deadline passed or the server's disk failed before the answer:
     * it may have been applied, or be applied yet. The SDK does not send it again, because that
     * might apply it twice.
     */
    IN_DOUBT,
    /** It never left this process whole, or was refused as retriable for too long: not applied. */
    NOT_SENT
  }

  /** Refuses null. */
  public RowResult {
    Objects.requireNonNull(outcome, "outcome");
    Objects.requireNonNull(error, "error");
    Objects.requireNonNull(message, "message");
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
