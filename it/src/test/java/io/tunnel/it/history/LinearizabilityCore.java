package io.tunnel.it.history;

import io.tunnel.it.history.Call.RowState;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Looks for an order of the calls to a key in which each is what a row does, and in which no call
 * comes before one that had ended when it began: the search of Wing and Gong, which tries each call
 * that may be next, and remembers from which sets of calls and which row it has failed (Lowe). Keys
 * are independent, so each is searched for itself.
 *
 * <p>The calls of an atomic batch to one key are a single step. A call whose outcome is unknown may
 * come anywhere behind its beginning, or nowhere. The search gives up when it has seen too much.
 */
public final class LinearizabilityCore {

  /** What was found of a history. */
  public enum Verdict {
    LINEARIZABLE,
    NOT_LINEARIZABLE,
    /** It is too large for the search. */
    UNDECIDED
  }

  private final int statesMax;

  /** Remembers at most so many states of the search of one key. */
  public LinearizabilityCore(int statesMax) {
    this.statesMax = statesMax;
  }

  /** The verdict of each key. */
  public Map<Long, Verdict> check(List<Call> history) {
    Map<Long, List<Call>> byKey = new TreeMap<>();
    history.forEach(call -> byKey.computeIfAbsent(call.key(), key -> new ArrayList<>()).add(call));
    Map<Long, Verdict> verdicts = new TreeMap<>();
    byKey.forEach(
        (key, calls) -> {
          List<Step> steps = Step.of(calls);
          if (!steps.isEmpty()) {
            verdicts.put(key, new Search(steps, statesMax).verdict());
          }
        });
    return verdicts;
  }

  /** The search of one key. */
  private static final class Search {
    private final List<Step> steps;
    private final int statesMax;
    private final Set<Seen> failed = new HashSet<>();
    private final BitSet done = new BitSet();
    private int known;
    private boolean isExhausted;

    private record Seen(BitSet done, RowState row) {}

    Search(List<Step> steps, int statesMax) {
      this.steps = steps.stream().sorted(Comparator.comparingLong(Step::invokedNanos)).toList();
      this.statesMax = statesMax;
      this.known = (int) steps.stream().filter(step -> step.endedNanos() != Call.NEVER).count();
    }

    Verdict verdict() {
      if (completes(RowState.ABSENT)) {
        return Verdict.LINEARIZABLE;
      }
      return isExhausted ? Verdict.UNDECIDED : Verdict.NOT_LINEARIZABLE;
    }

    /** Whether the steps that are left have an order; {@code known} of them have ended. */
    private boolean completes(RowState row) {
      if (known == 0) {
        return true;
      }
      if (failed.contains(new Seen(done, row))) {
        return false;
      }
      long firstEnd = firstEnd();
      for (int i = done.nextClearBit(0); i < steps.size(); i = done.nextClearBit(i + 1)) {
        Step step = steps.get(i);
        if (step.invokedNanos() > firstEnd || isExhausted) {
          break;
        }
        var next = step.on(row);
        if (next.isPresent() && isNextOf(i, step, next.get())) {
          return true;
        }
      }
      if (failed.size() == statesMax) {
        isExhausted = true;
      } else {
        failed.add(new Seen((BitSet) done.clone(), row));
      }
      return false;
    }

    private boolean isNextOf(int index, Step step, RowState row) {
      boolean hasEnded = step.endedNanos() != Call.NEVER;
      done.set(index);
      known -= hasEnded ? 1 : 0;
      boolean completes = completes(row);
      done.clear(index);
      known += hasEnded ? 1 : 0;
      return completes;
    }

    private long firstEnd() {
      long first = Call.NEVER;
      for (int i = done.nextClearBit(0); i < steps.size(); i = done.nextClearBit(i + 1)) {
        first = Math.min(first, steps.get(i).endedNanos());
      }
      return first;
    }
  }
}
