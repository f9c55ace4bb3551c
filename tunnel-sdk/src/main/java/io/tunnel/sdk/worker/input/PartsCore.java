package io.tunnel.sdk.worker.input;

import io.tunnel.sdk.worker.input.Inputs.Unit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntFunction;

/**
 * The unprocessed parts of one input, in order; the first part is being processed.
 *
 * <p>To skip a failing change, the worker has to find it. If the processor names the change, the
 * part is divided around the change. Otherwise the part is halved until a single record is left:
 * one bad record of n costs about 2 log2(n) further calls, and successful parts are not processed
 * again. A change is skipped only if it was named or failed alone. A part inherits failures only if
 * one of its records must have caused them:
 *
 * <ul>
 *   <li>a half inherits the failures of the whole, so that the search does not wait through all
 *       retries at every step;
 *   <li>when the first half fails, the second half is innocent and starts with no failures; and
 *   <li>a single record starts with no failures: it fails alone as often as the policy requires.
 * </ul>
 *
 * <p>The changes of an atomic batch are one unit, which is neither halved nor skipped in part.
 *
 * <p>An input that is given up is halved too, so that operators learn which change fails. Its
 * retries are over, so a single record inherits the failures.
 */
public final class PartsCore {

  private static final class Part {
    private final int from;
    private final int to;
    private int failures;
    private long firstFailureNanos;

    Part(int from, int to) {
      this.from = from;
      this.to = to;
    }

    int size() {
      return to - from;
    }

    /** Takes over the failures of {@code whole}. */
    Part inheriting(Part whole) {
      failures = whole.failures;
      firstFailureNanos = whole.firstFailureNanos;
      return this;
    }
  }

  /** Adjoining, or with a skipped record between them; empty only at the end of the input. */
  private final Deque<Part> left = new ArrayDeque<>();

  private final IntFunction<Unit> units;

  /** An input of one part, without atomic batches. */
  public PartsCore(int size) {
    this(List.of(size));
  }

  /**
   * An input of several parts, without atomic batches: each part ends before the record with one of
   * these indexes.
   */
  public PartsCore(List<Integer> ends) {
    this(ends, index -> new Unit(index, index + 1));
  }

  /**
   * An input of several parts.
   *
   * @param units the undivided records that a record belongs to, by its index
   */
  public PartsCore(List<Integer> ends, IntFunction<Unit> units) {
    this.units = units;
    int from = 0;
    for (int end : ends) {
      left.add(new Part(from, end));
      from = end;
    }
  }

  /** Index of the first record of the part. */
  public int from() {
    return left.element().from;
  }

  /** Index behind the last record of the part. */
  public int to() {
    return left.element().to;
  }

  /** Failures of the part. */
  public int failures() {
    return left.element().failures;
  }

  /** Time since the first failure of the part; 0 without a failure. */
  public long failingForNanos(long nowNanos) {
    return failures() == 0 ? 0 : nowNanos - left.element().firstFailureNanos;
  }

  /** The part failed. */
  public void failed(long nowNanos) {
    Part failing = left.remove();
    if (failing.failures == 0) {
      failing.firstFailureNanos = nowNanos;
    }
    failing.failures++;
    Part next = left.peek();
    if (next != null) {
      next.failures = 0;
    }
    left.addFirst(failing);
  }

  /** The part was processed. Returns true when a further part follows. */
  public boolean done() {
    left.remove();
    return !left.isEmpty();
  }

  /**
   * Skips one unit of the part: the unit of the named record if the part has the record, or the
   * only unit. Otherwise halves the part.
   *
   * @return the skipped records; empty when the part was halved
   */
  public Optional<Unit> skip(OptionalInt named) {
    Part failing = left.remove();
    boolean isNamed =
        named.isPresent() && named.getAsInt() >= failing.from && named.getAsInt() < failing.to;
    if (isNamed || isUnit(failing)) {
      Unit skipped = units.apply(isNamed ? named.getAsInt() : failing.from);
      addFirst(new Part(skipped.end(), failing.to));
      addFirst(new Part(failing.from, skipped.from()));
      return Optional.of(skipped);
    }
    halve(failing, false);
    return Optional.empty();
  }

  /**
   * Halves a part that is given up.
   *
   * @return false for a single unit, which cannot be halved
   */
  public boolean narrow() {
    if (isUnit(left.element())) {
      return false;
    }
    halve(left.remove(), true);
    return true;
  }

  private boolean isUnit(Part part) {
    return units.apply(part.from).end() == part.to;
  }

  /** A half inherits the failures, but a single unit only when {@code doUnitsInherit}. */
  private void halve(Part whole, boolean doUnitsInherit) {
    Unit around = units.apply(whole.from + whole.size() / 2);
    int middle = around.from() > whole.from ? around.from() : around.end();
    for (Part half : List.of(new Part(middle, whole.to), new Part(whole.from, middle))) {
      addFirst(doUnitsInherit || !isUnit(half) ? half.inheriting(whole) : half);
    }
  }

  private void addFirst(Part part) {
    if (part.size() > 0) {
      left.addFirst(part);
    }
  }

  /** True when no part is left. */
  public boolean isDone() {
    return left.isEmpty();
  }
}
