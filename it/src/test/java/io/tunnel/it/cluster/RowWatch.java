package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Scene;
import io.tunnel.it.process.Stage;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Clients of the tests' own JVM read existing rows, one by one and all together, while a writer
 * puts new values into the rows. The watch notes each forbidden answer: an absent row, too few
 * rows, or a value older than a value acknowledged before the read began.
 */
final class RowWatch implements AutoCloseable {

  private static final int ROWS_PER_PARTITION = 20;
  private static final int WRONGS_MAX = 20;

  private final TestTable table;
  private final int rows;
  private final AtomicLongArray acknowledged;
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong scans = new AtomicLong();
  private final Queue<String> wrongs = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean isOver;

  /** Reads once, and returns the fault of the answer. */
  private interface Look {
    Optional<String> at(TableClient client, int turn);
  }

  /** Begins with rows in every partition. */
  RowWatch(Stage stage, Cluster cluster, int partitions) {
    Scene scene = new Scene(stage, cluster, partitions);
    table = scene.testTable();
    rows = partitions * ROWS_PER_PARTITION;
    acknowledged = new AtomicLongArray(rows);
    List<RowChange> all = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
      all.add(row(row, 0));
    }
    assertThat(scene.tables().write(table.name(), all).allApplied()).isTrue();
    begin(stage.tables(cluster), "writes", this::write);
    begin(stage.tables(cluster), "reads up", this::get);
    begin(stage.tables(cluster), "reads down", (client, turn) -> get(client, rows - turn % rows));
    begin(stage.tables(cluster), "scans", this::scan);
  }

  private PrimaryKey key(int row) {
    long share = TestTable.HASHES_PER_PARTITION / ROWS_PER_PARTITION;
    return TestTable.key(row * share, "row" + row);
  }

  private RowPutChange row(int row, long value) {
    return new RowPutChange(key(row), List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  private void begin(TableClient client, String name, Look look) {
    Thread thread = new Thread(() -> go(client, look), name);
    threads.add(thread);
    thread.start();
  }

  private void go(TableClient client, Look look) {
    try {
      for (int turn = 0; !isOver && wrongs.size() < WRONGS_MAX; turn++) {
        look.at(client, turn).ifPresent(wrongs::add);
      }
    } catch (RuntimeException e) {
      wrongs.add("failed: " + e);
    }
  }

  /** A row has one writer, so what is in doubt is later than what was acknowledged. */
  private Optional<String> write(TableClient client, int turn) {
    int row = turn % rows;
    long value = turn + 1L;
    if (client.tryWrite(table.name(), List.of(row(row, value))).allApplied()) {
      acknowledged.set(row, value);
    }
    return Optional.empty();
  }

  private Optional<String> get(TableClient client, int turn) {
    int row = turn % rows;
    long before = acknowledged.get(row);
    Optional<Row> found = client.getRow(table.name(), key(row));
    reads.incrementAndGet();
    if (found.isEmpty()) {
      return Optional.of("row " + row + " is absent");
    }
    long value = found.get().value("v").orElseThrow().asLong();
    return value >= before
        ? Optional.empty()
        : Optional.of("row " + row + " was " + before + " and is " + value);
  }

  private Optional<String> scan(TableClient client, int turn) {
    int found = 0;
    for (Row row : client.getRange(table.name(), RangeQuery.ALL)) {
      found += row.value("v").orElseThrow().asLong() >= 0 ? 1 : 0;
    }
    scans.incrementAndGet();
    return found == rows
        ? Optional.empty()
        : Optional.of("scan " + turn + " found " + found + " of " + rows + " rows");
  }

  /** Waits until all of that was done a few times more. */
  void awaitLooks() {
    long readsWanted = reads.get() + rows;
    long scansWanted = scans.get() + 2;
    Poll.until(
        Poll.LONG,
        () -> !wrongs.isEmpty() || (reads.get() >= readsWanted && scans.get() >= scansWanted),
        () -> reads + " reads and " + scans + " scans");
  }

  /** Ends it; nothing was wrong. */
  void end() {
    close();
    assertThat(wrongs).as("%d reads and %d scans", reads.get(), scans.get()).isEmpty();
  }

  @Override
  public void close() {
    isOver = true;
    for (Thread thread : threads) {
      try {
        thread.join(Poll.LONG.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
