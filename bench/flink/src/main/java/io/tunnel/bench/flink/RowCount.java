package io.tunnel.bench.flink;

import io.tunnel.programs.bench.peer.Arrivals;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The rows that one pass over a table has seen so far, and the moments of the first and of the last
 * that it was told of. Between these two a pass is said to read: neither how a reader starts nor
 * how it ends is in that. Safe for use by any thread.
 */
final class RowCount implements Arrivals {

  /** A {@link RowTally} tells of so many at once, and keeps fewer to itself. */
  static final int STEP_ROWS = 256;

  private final long expected;
  private final long nearEnd;
  private final LongSupplier nanos;
  private final LongSupplier cpuNanos;
  private final AtomicLong rows = new AtomicLong();
  private final LongAdder amounts = new LongAdder();
  private final LongAdder digest = new LongAdder();
  private final List<RowTally> tallies = new CopyOnWriteArrayList<>();
  private final CountDownLatch complete = new CountDownLatch(1);
  private final AtomicReference<Mark> first = new AtomicReference<>();
  private final AtomicReference<Mark> last = new AtomicReference<>();

  /**
   * A moment of a pass.
   *
   * @param nanos when
   * @param cpuNanos processor time of this process until then
   * @param rows that had been seen
   */
  record Mark(long nanos, long cpuNanos, long rows) {}

  /**
   * Nothing was seen yet.
   *
   * @param expected rows
   * @param talliesMax that count them at the same time
   */
  RowCount(long expected, int talliesMax, LongSupplier nanos, LongSupplier cpuNanos) {
    this.expected = expected;
    // What tallies keep to themselves is less, so the last that is told lies behind it.
    this.nearEnd = expected - (long) STEP_ROWS * talliesMax;
    this.nanos = nanos;
    this.cpuNanos = cpuNanos;
  }

  @Override
  public void saw(long sequence) {}

  @Override
  public void arrived(int count, long amountsSeen, long digestSeen) {
    amounts.add(amountsSeen);
    digest.add(digestSeen);
    long now = rows.addAndGet(count);
    if (now == count) {
      first.set(mark(now));
    }
    if (now >= nearEnd) {
      last.accumulateAndGet(mark(now), RowCount::later);
    }
    if (now >= expected) {
      complete.countDown();
    }
  }

  private Mark mark(long rowsNow) {
    return new Mark(nanos.getAsLong(), cpuNanos.getAsLong(), rowsNow);
  }

  private static Mark later(Mark one, Mark other) {
    return one != null && one.rows() > other.rows() ? one : other;
  }

  /** A share of it, for one thread. */
  RowTally tally() {
    RowTally tally = new RowTally(this);
    tallies.add(tally);
    return tally;
  }

  /**
   * Returns when all rows have been seen.
   *
   * @param trouble why no more will come, if that is so
   * @throws IllegalStateException when they do not come
   */
  void await(Supplier<Optional<String>> trouble, long secondsMax) throws InterruptedException {
    for (long waited = 0; waited < secondsMax; waited++) {
      if (complete.await(1, TimeUnit.SECONDS)) {
        return;
      }
      if (trouble.get().isPresent()) {
        throw new IllegalStateException("the reader stopped: " + trouble.get().get());
      }
    }
    throw new IllegalStateException(
        rows.get() + " of " + expected + " rows came within " + secondsMax + " s");
  }

  /**
   * Refuses a pass that has seen other rows than were written. To be called when all threads that
   * count are done.
   *
   * @param expectedAmounts of the integer attributes, 0 where nobody looks at them
   */
  void require(long expectedAmounts) {
    long seen = rows.get();
    long seenAmounts = amounts.sum();
    for (RowTally tally : tallies) {
      seen += tally.untold();
      seenAmounts += tally.untoldAmounts();
    }
    if (seen != expected || seenAmounts != expectedAmounts) {
      throw new IllegalStateException(
          "not what was written: %d rows, amounts %d, expected %d and %d"
              .formatted(seen, seenAmounts, expected, expectedAmounts));
    }
  }

  /** When it was told of the first rows. */
  Mark first() {
    return told(first);
  }

  /** When it was told of rows for the last time, all but a few. */
  Mark last() {
    return told(last);
  }

  private Mark told(AtomicReference<Mark> mark) {
    if (mark.get() == null) {
      throw new IllegalStateException("only " + rows.get() + " of " + expected + " rows came");
    }
    return mark.get();
  }
}
