package io.tunnel.it.history;

import io.tunnel.it.history.Call.Outcome;
import io.tunnel.it.history.Call.RowState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What happens to a row at one moment: a call that stands alone, or the calls of an atomic batch to
 * the row, in the order of the batch.
 */
final class Step {

  private final List<Call> calls;
  private final long endedNanos;

  private Step(List<Call> calls) {
    this.calls = List.copyOf(calls);
    this.endedNanos = calls.stream().mapToLong(Call::endedNanos).max().orElseThrow();
  }

  /** The steps of the calls to one key, those that say something of the row. */
  static List<Step> of(List<Call> calls) {
    List<Step> steps = new ArrayList<>();
    Map<Long, List<Call>> batches = new LinkedHashMap<>();
    for (Call call : calls) {
      if (call.batch().isPresent()) {
        batches.computeIfAbsent(call.batch().get().batch(), batch -> new ArrayList<>()).add(call);
      } else if (call.counts()) {
        steps.add(new Step(List.of(call)));
      }
    }
    for (List<Call> batch : batches.values()) {
      if (batch.stream().anyMatch(Call::counts)) {
        batch.sort(Comparator.comparingInt(call -> call.batch().orElseThrow().index()));
        steps.add(new Step(batch));
      }
    }
    return steps;
  }

  long invokedNanos() {
    return calls.get(0).invokedNanos();
  }

  long endedNanos() {
    return endedNanos;
  }

  /**
   * What becomes of a row; empty when the row cannot have been so. The rows of a batch before the
   * refused one were judged, and changed nothing.
   */
  Optional<RowState> on(RowState row) {
    Optional<RowState> left = Optional.of(row);
    for (Call call : calls) {
      if (left.isEmpty()) {
        return left;
      }
      if (call.outcome() == Outcome.UNMET) {
        return call.on(left.get()).map(unmet -> row);
      }
      // The condition held, also of a row before the refused row.
      left = call.on(left.get());
    }
    return left;
  }
}
