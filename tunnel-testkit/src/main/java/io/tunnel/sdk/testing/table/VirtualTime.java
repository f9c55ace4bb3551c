package io.tunnel.sdk.testing.table;

import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;

/** Time that passes by calls of the test, and by a microsecond per commit. */
public final class VirtualTime {

  /** 2000-01-01T00:00:00Z. */
  private static final long START_MICROS = 946_684_800_000_000L;

  private final PriorityQueue<Due> waiting =
      new PriorityQueue<>(Comparator.comparingLong(Due::micros).thenComparingLong(Due::number));
  private long micros = START_MICROS;
  private long numbers;

  private record Due(long micros, long number, Runnable action) {}

  /** Microseconds since 1970. */
  public long micros() {
    return micros;
  }

  /** Milliseconds since 1970. */
  public long ms() {
    return TimeUnit.MICROSECONDS.toMillis(micros);
  }

  /** The commit time of the next batch: no two are the same. */
  public long nextCommitMicros() {
    return ++micros;
  }

  /** Runs {@code action} when {@code delay} has passed. */
  public void after(Duration delay, Runnable action) {
    waiting.add(new Due(micros + microsOf(delay), ++numbers, action));
  }

  /** How many actions wait for their time. */
  public int waiting() {
    return waiting.size();
  }

  /** Lets time pass, and runs the waiting actions in order, each at its own time. */
  public void advance(Duration duration) {
    long end = micros + microsOf(duration);
    while (!waiting.isEmpty() && waiting.peek().micros() <= end) {
      Due next = waiting.poll();
      micros = Math.max(micros, next.micros());
      next.action().run();
    }
    micros = Math.max(micros, end);
  }

  private static long microsOf(Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException("time does not go back by " + duration.negated());
    }
    return TimeUnit.NANOSECONDS.toMicros(duration.toNanos());
  }
}
