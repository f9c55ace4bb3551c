package io.tunnel.cli.bench.peer;

import io.tunnel.terminal.CommandFailure;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts arrivals, and knows when the last one came. */
public class ArrivalCount implements Arrivals {

  private final long expected;
  private final LongSupplier nanos;
  private final AtomicLong rows = new AtomicLong();
  private final LongAdder amounts = new LongAdder();
  private final LongAdder digest = new LongAdder();
  private final CountDownLatch complete = new CountDownLatch(1);
  private volatile long completeNanos;

  /** Expects so many rows; {@code nanos} is the clock. */
  public ArrivalCount(long expected, LongSupplier nanos) {
    this.expected = expected;
    this.nanos = nanos;
  }

  @Override
  public void saw(long sequence) {}

  @Override
  public void arrived(int count, long amountsSeen, long digestSeen) {
    amounts.add(amountsSeen);
    digest.add(digestSeen);
    long now = rows.addAndGet(count);
    if (now >= expected && now - count < expected) {
      completeNanos = nanos.getAsLong();
      complete.countDown();
    }
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
