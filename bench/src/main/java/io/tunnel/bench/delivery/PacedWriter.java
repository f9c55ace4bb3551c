package io.tunnel.bench.delivery;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.programs.bench.load.Client;
import io.tunnel.programs.bench.load.Load;
import io.tunnel.programs.bench.load.Plan;
import io.tunnel.programs.bench.load.Turn;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes rows of about 200 bytes, spread over all partitions, at an even rate until it is closed.
 */
final class PacedWriter implements AutoCloseable {

  private static final long END_SECONDS_MAX = 60;
  private static final String PAYLOAD = "x".repeat(160);

  private final TableWriter writer;
  private final SplittableRandom random = new SplittableRandom(3);
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Load load;

  PacedWriter(Bed bed, String table, long rowsPerSecond) {
    this.writer =
        bed.tables().openWriter(table, TableWriterConfig.DEFAULTS.withLinger(Duration.ofMillis(2)));
    Client client = this::add;
    this.load =
        Load.begin(
            bed.clock(),
            Plan.CLOSED.at((double) rowsPerSecond),
            List.of(client),
            Load.threads("paced-writer"));
  }

  private void add(Turn turn) {
    writer.add(
        row(random.nextInt(), turn.number(), PAYLOAD),
        (row, result) -> {
          AtomicLong count = result.isApplied() ? acknowledged : refused;
          count.incrementAndGet();
        });
    turn.done();
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
    load.stop();
    try {
      var unused = load.awaitEnd(END_SECONDS_MAX);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.close();
    if (refused.get() > 0) {
      throw new IllegalStateException(refused + " rows were not applied");
    }
  }
}
