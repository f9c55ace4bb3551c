package io.tunnel.programs.torture.hostile;

import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.TableClient;
import io.tunnel.stress.LoadClock;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.ConcurrentHistogram;

/**
 * A client with a key and all rights that it needs, which writes a row and reads it, all the time.
 */
final class OrdinaryClient implements AutoCloseable {

  private static final int ROWS = 100;

  private final LoadClock clock;
  private final String table;
  private final TableClient tables;
  private final Thread thread = new Thread(this::run, "ordinary-client");
  private volatile ConcurrentHistogram tookNanos = new ConcurrentHistogram(HostileTally.DIGITS);
  private volatile Optional<String> trouble = Optional.empty();
  private volatile boolean mustEnd;

  private OrdinaryClient(LoadClock clock, ClientConfig config, String table) {
    this.clock = clock;
    this.table = table;
    this.tables = TableClient.connect(config);
  }

  /** Begins to write and read. */
  static OrdinaryClient start(LoadClock clock, ClientConfig config, String table) {
    OrdinaryClient client = new OrdinaryClient(clock, config, table);
    client.thread.start();
    return client;
  }

  private void run() {
    try {
      for (long round = 0; !mustEnd; round++) {
        long startNanos = clock.nanos();
        PrimaryKey key = PrimaryKey.builder().add("id", round % ROWS).build();
        ColumnValue value = ColumnValue.fromLong(round);
        boolean isWritten =
            tables
                .write(table, List.of(new RowPutChange(key, List.of(new Column("v", value)))))
                .allApplied();
        boolean isRead =
            tables.getRow(table, key).flatMap(row -> row.value("v")).equals(Optional.of(value));
        if (!isWritten || !isRead) {
          throw new IllegalStateException("row " + round + " is not as it was written");
        }
        tookNanos.recordValue(clock.nanos() - startNanos);
      }
    } catch (RuntimeException e) {
      trouble = Optional.of(e.toString());
    }
  }

  /** Counts into this one from now on. */
  void countInto(ConcurrentHistogram histogram) {
    tookNanos = histogram;
  }

  /** Why it could not go on, if so. */
  Optional<String> trouble() {
    return trouble;
  }

  @Override
  public void close() {
    mustEnd = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tables.close();
  }
}
