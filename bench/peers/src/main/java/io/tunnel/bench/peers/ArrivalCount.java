package io.tunnel.bench.peers;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Counts arrivals, and knows when the last one came. */
class ArrivalCount implements Arrivals {

  private final long expected;
  private final LongSupplier nanos;
  private final AtomicLong rows = new AtomicLong();
  private final LongAdder amounts = new LongAdder();
  private final LongAdder digest = new LongAdder();
  private final CountDownLatch complete = new CountDownLatch(1);
  private volatile long completeNanos;

  ArrivalCount(long expected, LongSupplier nanos) {
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
   * @throws IllegalStateException when it did not within the time, or the reader stopped
   */
  final long awaitNanos(RowReader reader, long secondsMax) throws InterruptedException {
    for (long waited = 0; waited < secondsMax; waited++) {
      if (complete.await(1, TimeUnit.SECONDS)) {
        return completeNanos;
      }
      if (reader.trouble().isPresent()) {
        throw new IllegalStateException("the reader stopped: " + reader.trouble().get());
      }
    }
    throw new IllegalStateException(
        rows.get() + " of " + expected + " rows came within " + secondsMax + " s");
  }

  final long rows() {
    return rows.get();
  }

  final long amounts() {
    return amounts.sum();
  }

  /** Means nothing; asked for so that the looking is not optimized away. */
  final long digest() {
    return digest.sum();
  }
}
