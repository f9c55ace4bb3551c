package io.tunnel.programs.bench.live;

import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.stress.LoadClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes until closed, at an even rate or at full speed. The integer attribute of a row is its
 * ordinal, which identifies the row independently of the key.
 */
public final class LiveWriter implements AutoCloseable {

  /** Sequences of a thread begin so far behind those of the thread before. */
  private static final long ROWS_APART = 1L << 40;

  private static final long STOP_MS_MAX = TimeUnit.SECONDS.toMillis(60);

  private final RowWriter writer;
  private final RowPlan plan;
  private final Journeys journeys;
  private final LoadClock clock;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong nextOrdinal = new AtomicLong();
  private final LongAdder applied = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private volatile boolean isStopping;
  private volatile String trouble;

  /** Writes nothing before its start; closes {@code writer}. */
  public LiveWriter(RowWriter writer, RowPlan plan, Journeys journeys, LoadClock clock) {
    this.writer = writer;
    this.plan = plan;
    this.journeys = journeys;
    this.clock = clock;
  }

  /**
   * Begins.
   *
   * @param rowsPerSecond of all threads together; 0 for as many as it takes
   */
  public void start(int threadCount, double rowsPerSecond) {
    long startNanos = clock.nanos();
    double nanosPerRow = rowsPerSecond == 0 ? 0 : 1e9 / rowsPerSecond;
    for (int i = 0; i < threadCount; i++) {
      RowSource rows = new RowSource(i * ROWS_APART, plan);
      Thread thread = new Thread(() -> write(rows, startNanos, nanosPerRow), "live-writer");
      thread.setDaemon(true);
      threads.add(thread);
    }
    threads.forEach(Thread::start);
  }

  private void write(RowSource rows, long startNanos, double nanosPerRow) {
    try {
      while (!isStopping) {
        long ordinal = nextOrdinal.getAndIncrement();
        long due = nanosPerRow == 0 ? clock.nanos() : startNanos + (long) (ordinal * nanosPerRow);
        clock.waitUntil(due, () -> isStopping);
        journeys.start(ordinal, due);
        writer.add(rows.next().withAmount(ordinal), (sequence, ok) -> completed(ordinal, ok));
      }
    } catch (RuntimeException e) {
      trouble = "the writer stopped: " + e.getMessage();
    }
  }

  private void completed(long ordinal, boolean isApplied) {
    if (isApplied) {
      journeys.acked(ordinal);
      applied.increment();
    } else {
      refused.increment();
    }
  }

  /** Rows that were acknowledged. */
  public long rows() {
    return applied.sum();
  }

  /** The ordinal that the next row will have: all rows so far have lower ones. */
  public long nextOrdinal() {
    return nextOrdinal.get();
  }

  /** What went wrong; empty while nothing did. */
  public Optional<String> trouble() {
    long count = refused.sum();
    return count > 0 ? Optional.of(count + " rows were not applied") : Optional.ofNullable(trouble);
  }

  /** Writes no more, and returns when all that was written has an outcome. */
  public void stop() {
    isStopping = true;
    try {
      for (Thread thread : threads) {
        thread.join(STOP_MS_MAX);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.flush();
  }

  @Override
  public void close() {
    isStopping = true;
    writer.close();
  }
}
