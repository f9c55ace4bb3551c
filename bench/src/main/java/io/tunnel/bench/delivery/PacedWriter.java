package io.tunnel.bench.delivery;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.stress.LoadClock;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes rows of about 200 bytes, spread over all partitions, at an even rate until it is closed.
 */
final class PacedWriter implements AutoCloseable {

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final String PAYLOAD = "x".repeat(160);

  private final LoadClock clock;
  private final TableWriter writer;
  private final long rowsPerSecond;
  private final Thread thread = new Thread(this::run, "paced-writer");
  private final SplittableRandom random = new SplittableRandom(3);
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private volatile boolean isStopped;
  private long sequence;

  PacedWriter(Bed bed, String table, long rowsPerSecond) {
    this.clock = bed.clock();
    this.rowsPerSecond = rowsPerSecond;
    this.writer =
        bed.tables().openWriter(table, TableWriterConfig.DEFAULTS.withLinger(Duration.ofMillis(2)));
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    long started = clock.nanos();
    long written = 0;
    while (!isStopped) {
      long due = (clock.nanos() - started) / 1_000 * rowsPerSecond / 1_000_000;
      for (; written < due; written++) {
        add();
      }
      clock.waitUntil(clock.nanos() + STEP_NANOS, () -> isStopped);
    }
  }

  private void add() {
    writer.add(
        row(random.nextInt(), sequence++, PAYLOAD),
        (row, result) -> {
          AtomicLong count = result.isApplied() ? acknowledged : refused;
          count.incrementAndGet();
        });
  }

  static RowPutChange row(int hash, long sequence, String payload) {
    byte[] bytes = {(byte) (hash >>> 24), (byte) (hash >>> 16), (byte) (hash >>> 8), (byte) hash};
    return new RowPutChange(
        PrimaryKey.builder().add(Bed.HASH, bytes).add(Bed.SEQUENCE, sequence).build(),
        List.of(new Column("payload", ColumnValue.fromString(payload))));
  }

  long acknowledged() {
    return acknowledged.get();
  }

  /** Stops and waits until everything is acknowledged. */
  @Override
  public void close() {
    isStopped = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.close();
    if (refused.get() > 0) {
      throw new IllegalStateException(refused + " rows were not applied");
    }
  }
}
