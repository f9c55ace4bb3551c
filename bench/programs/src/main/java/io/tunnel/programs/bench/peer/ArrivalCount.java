package io.tunnel.programs.bench.peer;

import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts arrivals, and knows when the first and the last one came, and when a tenth of them had:
 * what comes after that tenth is the steady part, without sessions that open and code that warms
 * up.
 */
public class ArrivalCount implements Arrivals {

  /** The steady part begins when one of so many rows has come. */
  private static final long STEADY_SHARE = 10;

  private final long expected;
  private final LoadClock clock;
  private final AtomicLong rows = new AtomicLong();
  private final LongAdder amounts = new LongAdder();
  private final LongAdder digest = new LongAdder();

  /** One count for each of the three marks: a waiting thread sees all marks. */
  private final CountDownLatch complete = new CountDownLatch(3);

  private volatile long firstNanos;
  private volatile long tenthNanos;
  private volatile long tenthRows;
  private volatile long completeNanos;

  /** Expects so many rows; {@code clock} tells the time. */
  public ArrivalCount(long expected, LoadClock clock) {
    this.expected = expected;
    this.clock = clock;
  }

  @Override
  public void saw(long sequence) {}

  @Override
  public void arrived(int count, long amountsSeen, long digestSeen) {
    amounts.add(amountsSeen);
    digest.add(digestSeen);
    long now = rows.addAndGet(count);
    long before = now - count;
    if (before == 0 && now > 0) {
      firstNanos = clock.nanos();
      complete.countDown();
    }
    if (isCrossed(Math.max(1, expected / STEADY_SHARE), before, now)) {
      tenthNanos = clock.nanos();
      tenthRows = now;
      complete.countDown();
    }
    if (isCrossed(expected, before, now)) {
      completeNanos = clock.nanos();
      complete.countDown();
    }
  }

  private static boolean isCrossed(long mark, long before, long now) {
    return before < mark && now >= mark;
  }

  /** When the first rows came; known when the last have come. */
  public final long firstNanos() {
    return firstNanos;
  }

  /**
   * Rows a second of the steady part; known when the last have come. NaN when that part came as one
   * with the tenth before it.
   */
  public final double steadyRowsPerSecond() {
    long steadyRows = expected - tenthRows;
    long steadyNanos = completeNanos - tenthNanos;
    return steadyRows > 0 && steadyNanos > 0 ? steadyRows * 1e9 / steadyNanos : Double.NaN;
  }

  /**
   * When the last expected row had come.
   *
   * @throws CommandFailure when it did not within the time, or the reader stopped
   */
  public final long awaitNanos(RowReader reader, long secondsMax) throws InterruptedException {
    for (long waited = 0; waited < secondsMax; waited++) {
      if (complete.await(1, TimeUnit.SECONDS)) {
        return completeNanos;
      }
      if (reader.trouble().isPresent()) {
        throw CommandFailure.failed("the reader stopped: " + reader.trouble().get());
      }
    }
    throw CommandFailure.failed(
        rows.get() + " of " + expected + " rows came within " + secondsMax + " s");
  }

  /** How many have come. */
  public final long rows() {
    return rows.get();
  }

  /** The sum of the integer attributes of rows that were looked at. */
  public final long amounts() {
    return amounts.sum();
  }

  /** Means nothing; asked for so that the looking is not optimized away. */
  public final long digest() {
    return digest.sum();
  }
}
