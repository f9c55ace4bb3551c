package io.tunnel.bench.flink.recovery;

import io.tunnel.programs.bench.peer.RowSource;
import io.tunnel.programs.bench.peer.RowWriter;
import io.tunnel.stress.LoadClock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Writes rows at an even rate until it is closed. */
final class PacedRows implements AutoCloseable {

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final LoadClock clock;
  private final RowWriter writer;
  private final long rowsPerSecond;
  private final Thread thread = new Thread(this::run, "paced-rows");
  private final AtomicLong applied = new AtomicLong();
  private volatile boolean isStopped;
  private long written;

  PacedRows(RowWriter writer, long rowsPerSecond, LoadClock clock) {
    this.clock = clock;
    this.writer = writer;
    this.rowsPerSecond = rowsPerSecond;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    RowSource source = new RowSource(0);
    long beginNanos = clock.nanos();
    while (!isStopped) {
      long due = (clock.nanos() - beginNanos) / 1_000 * rowsPerSecond / 1_000_000;
      for (; written < due; written++) {
        writer.add(source.next(), (sequence, isApplied) -> applied.addAndGet(isApplied ? 1 : 0));
      }
      clock.waitUntil(clock.nanos() + STEP_NANOS, () -> isStopped);
    }
  }

  /** Stops writing, and returns the number of rows. */
  long stop() throws InterruptedException {
    isStopped = true;
    thread.join();
    writer.flush();
    if (applied.get() != written) {
      throw new IllegalStateException(applied.get() + " of " + written + " rows were applied");
    }
    return written;
  }

  @Override
  public void close() {
    isStopped = true;
    writer.close();
  }
}
