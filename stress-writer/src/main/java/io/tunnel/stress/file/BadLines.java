package io.tunnel.stress.file;

import io.tunnel.stress.rows.BadLineException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * What happens to lines that are no rows: either the first one ends the run, or they are counted,
 * and the first {@value #SHOWN_MAX} shown.
 */
public final class BadLines {

  /** Lines that are shown. */
  static final int SHOWN_MAX = 10;

  private final Policy policy;
  private final Consumer<String> show;
  private final AtomicLong count = new AtomicLong();

  /** The two ways. */
  public enum Policy {
    /** Go on with the next line. */
    SKIP,
    /** End the run. */
    FAIL
  }

  /** A policy, and where skipped lines are shown. */
  public BadLines(Policy policy, Consumer<String> show) {
    this.policy = policy;
    this.show = show;
  }

  /** A line is bad; {@code message} says which and why. */
  void found(String message) {
    if (policy == Policy.FAIL) {
      throw new BadLineException(message + " (--bad-lines skip goes on with the next line)");
    }
    if (count.incrementAndGet() <= SHOWN_MAX) {
      show.accept("skipped: " + message);
    }
  }

  /** Lines skipped so far. */
  public long count() {
    return count.get();
  }
}
