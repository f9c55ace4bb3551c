package io.tunnel.stress;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * A writer that gives the row of each number the outcome that the test says, at once, or holds it
 * until it is flushed.
 */
final class FakeSink implements RowSink {

  private final IntFunction<RowResult> outcomes;
  private final List<RowChange> rows = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean isHolding;

  /** Applies every row. */
  FakeSink() {
    this(FakeSink::applied);
  }

  /** Gives the row of number {@code n}, from 0, the outcome {@code outcomes.apply(n)}. */
  FakeSink(IntFunction<RowResult> outcomes) {
    this.outcomes = outcomes;
  }

  /** From now on rows get their outcome when they are flushed. */
  FakeSink holding() {
    isHolding = true;
    return this;
  }

  static RowResult applied(int number) {
    return RowResult.applied(0, number + 1);
  }

  static RowResult failed(RowResult.Outcome outcome) {
    Optional<ErrorCode> error =
        outcome == RowResult.Outcome.REJECTED
            ? Optional.of(ErrorCode.CONDITION_FAILED)
            : Optional.empty();
    return new RowResult(outcome, 0, -1, error, "because");
  }

  @Override
  public synchronized void add(RowChange row, RowCallback callback) {
    RowResult result = outcomes.apply(rows.size());
    rows.add(row);
    if (isHolding) {
      held.add(() -> callback.completed(row, result));
    } else {
      callback.completed(row, result);
    }
  }

  @Override
  public synchronized void flush() {
    held.forEach(Runnable::run);
    held.clear();
  }

  synchronized List<RowChange> rows() {
    return List.copyOf(rows);
  }
}
