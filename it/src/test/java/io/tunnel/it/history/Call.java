package io.tunnel.it.history;

import io.tunnel.model.RowExistenceExpectation;
import java.util.Objects;
import java.util.Optional;

/**
 * A request of a client about a key, and the answer.
 *
 * @param kind what was asked
 * @param condition under which it was to be done
 * @param expected the value that the row must have had besides, by a condition on its column
 * @param value what was written, added or read; absent for a deletion, and when there was no row
 * @param outcome what the client knows
 * @param position where a write came to stand among those of its partition
 * @param invokedNanos when it was asked
 * @param endedNanos when the answer came; {@link #NEVER} where the outcome is unknown: it may be
 *     done yet
 * @param batch its place in an atomic batch; empty for a call that stands alone
 */
public record Call(
    long key,
    Kind kind,
    RowExistenceExpectation condition,
    Optional<Long> expected,
    Optional<Long> value,
    Outcome outcome,
    Optional<Long> position,
    long invokedNanos,
    long endedNanos,
    Optional<BatchPlace> batch) {

  /** The end of a call that nobody knows the outcome of. */
  public static final long NEVER = Long.MAX_VALUE;

  /** What is asked. A row has one column, so an update of it is the whole row. */
  public enum Kind {
    GET,
    PUT,
    UPDATE,
    DELETE,
    /** Adds the value to what the row has, or to 0. */
    ADD
  }

  /** What a client was told. */
  public enum Outcome {
    /** It was done. */
    OK,
    /** It was not done, because its condition did not hold. */
    UNMET,
    /** It was certainly not done, for a reason that says nothing of the row. */
    REFUSED,
    /** It may have been done, or be done yet. */
    UNKNOWN
  }

  /**
   * Where a write stands in an atomic batch.
   *
   * @param batch names the batch in its history
   * @param index from 0, in the order in which the rows are judged
   */
  public record BatchPlace(long batch, int index) {}

  /** Refuses null, and ends before beginnings. */
  public Call {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(condition, "condition");
    Objects.requireNonNull(expected, "expected");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(outcome, "outcome");
    Objects.requireNonNull(position, "position");
    Objects.requireNonNull(batch, "batch");
    if (endedNanos < invokedNanos || (outcome == Outcome.UNKNOWN) != (endedNanos == NEVER)) {
      throw new IllegalArgumentException(
          outcome + " from " + invokedNanos + " to " + endedNanos + " cannot be");
    }
  }

  /** A call that stands alone. */
  Call(
      long key,
      Kind kind,
      RowExistenceExpectation condition,
      Optional<Long> expected,
      Optional<Long> value,
      Outcome outcome,
      Optional<Long> position,
      long invokedNanos,
      long endedNanos) {
    this(
        key,
        kind,
        condition,
        expected,
        value,
        outcome,
        position,
        invokedNanos,
        endedNanos,
        Optional.empty());
  }

  /** A call that stands alone, without a condition on the column. */
  Call(
      long key,
      Kind kind,
      RowExistenceExpectation condition,
      Optional<Long> value,
      Outcome outcome,
      Optional<Long> position,
      long invokedNanos,
      long endedNanos) {
    this(
        key, kind, condition, Optional.empty(), value, outcome, position, invokedNanos, endedNanos);
  }

  /** Whether it says anything of the row. */
  boolean counts() {
    return outcome != Outcome.REFUSED && !(kind == Kind.GET && outcome == Outcome.UNKNOWN);
  }

  /** What becomes of a row by it; empty when the row cannot have been so. */
  Optional<RowState> on(RowState row) {
    if (kind == Kind.GET) {
      return row.value().equals(value) ? Optional.of(row) : Optional.empty();
    }
    boolean mayExist =
        switch (condition) {
          case IGNORE -> true;
          case EXPECT_EXIST -> row.value().isPresent();
          case EXPECT_NOT_EXIST -> row.value().isEmpty();
        };
    boolean holds = mayExist && (expected.isEmpty() || expected.equals(row.value()));
    if (outcome == Outcome.UNMET) {
      return holds ? Optional.empty() : Optional.of(row);
    }
    boolean isBehind = position.isEmpty() || position.get() > row.position();
    Optional<Long> left =
        kind == Kind.ADD ? Optional.of(row.value().orElse(0L) + value.orElseThrow()) : value;
    return holds && isBehind
        ? Optional.of(new RowState(left, position.orElse(row.position())))
        : Optional.empty();
  }

  /**
   * A row at some moment.
   *
   * @param position of the last write whose position is known
   */
  record RowState(Optional<Long> value, long position) {
    static final RowState ABSENT = new RowState(Optional.empty(), -1);
  }
}
