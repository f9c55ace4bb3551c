package io.tunnel.sdk.worker.input;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;

/**
 * What is left to process of one input of {@code size} records whose processing fails: parts of it,
 * in order, of which the first is processed.
 *
 * <p>To leave out one change, it has to be known which. When the processor names it, the part is
 * divided around it. Otherwise the part is halved until it is a single record, so that one bad
 * record of n costs about 2 log2(n) further calls; what succeeds is not processed again. A change
 * is left out only when it was named or failed alone, and a part begins with no failures to its
 * name unless one of its records must be the one that failed before:
 *
 * <ul>
 *   <li>a half inherits the failures of the whole, so that narrowing does not wait through all
 *       retries at every step; but
 *   <li>when the first half fails, nothing is known against the second; and
 *   <li>a single record begins anew: it fails alone as often as the policy wants.
 * </ul>
 *
 * <p>An input that is given up is narrowed down in halves too, so that operators learn which change
 * fails. The retries are over then, so a single record does not begin anew.
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

    /** The failures of {@code whole} count for this part of it. */
    Part inheriting(Part whole) {
      failures = whole.failures;
      firstFailureNanos = whole.firstFailureNanos;
      return this;
    }
  }

  /** Adjoining or with a record that is left out between them; never empty but at the end. */
  private final Deque<Part> left = new ArrayDeque<>();

  /** An input that may be given to the processor as a whole. */
  public PartsCore(int size) {
    this(List.of(size));
  }

  /** An input that is given in parts from the start: each ends before one of these records. */
  public PartsCore(List<Integer> ends) {
    int from = 0;
    for (int end : ends) {
      left.add(new Part(from, end));
      from = end;
    }
  }

  /** The first record of the part. */
  public int from() {
    return left.element().from;
  }

  /** Behind the last record of the part. */
  public int to() {
    return left.element().to;
  }

  /** Failures that count against the part. */
  public int failures() {
    return left.element().failures;
  }

  /** How long ago the first of them was; 0 when there is none. */
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

  /** The part was processed. Returns whether another follows. */
  public boolean done() {
    left.remove();
    return !left.isEmpty();
  }

  /**
   * Leaves out one record of the part: the one that is named, if it is inside, or the only one.
   * When neither is known, the part is halved.
   *
   * @return the record that is left out; empty when the part was halved
   */
  public OptionalInt skip(OptionalInt named) {
    Part failing = left.remove();
    boolean isNamed =
        named.isPresent() && named.getAsInt() >= failing.from && named.getAsInt() < failing.to;
    if (isNamed || failing.size() == 1) {
      int skipped = isNamed ? named.getAsInt() : failing.from;
      addFirst(new Part(skipped + 1, failing.to));
      addFirst(new Part(failing.from, skipped));
      return OptionalInt.of(skipped);
    }
    halve(failing, 2);
    return OptionalInt.empty();
  }

  /**
   * Halves the part that is given up.
   *
   * @return whether it was halved; a single record, which failed alone, is not
   */
  public boolean narrow() {
    if (left.element().size() == 1) {
      return false;
    }
    halve(left.remove(), 1);
    return true;
  }

  /** A half inherits the failures when it has {@code inheritingMin} records or more. */
  private void halve(Part whole, int inheritingMin) {
    int middle = whole.from + whole.size() / 2;
    for (Part half : List.of(new Part(middle, whole.to), new Part(whole.from, middle))) {
      addFirst(half.size() >= inheritingMin ? half.inheriting(whole) : half);
    }
  }

  private void addFirst(Part part) {
    if (part.size() > 0) {
      left.addFirst(part);
    }
  }

  /** Whether nothing is left to process. */
  public boolean isDone() {
    return left.isEmpty();
  }
}
