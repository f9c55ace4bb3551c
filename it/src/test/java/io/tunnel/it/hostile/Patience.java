package io.tunnel.it.hostile;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * How long an ordinary client waits: one that writes a row and reads it again, over and over, on a
 * connection of its own. Waits are judged in windows, each window by its 99th percentile.
 */
final class Patience {

  private static final int WINDOW_ROUNDS = 100;
  private static final String TABLE = "patience";

  private final TableClient tables;
  private final CompletableFuture<Void> end;
  private final List<Long> tookNanos = new ArrayList<>();
  private volatile boolean mustEnd;

  Patience(Stage stage, ServerProcess server) {
    tables = stage.tables(server);
    var unused = new TestTable(TABLE, 1, Durability.OS).create(tables);
    end = CompletableFuture.runAsync(this::run, task -> new Thread(task, "patience").start());
    stage.closes(this::stop);
  }

  private void run() {
    for (long round = 0; !mustEnd; round++) {
      long started = System.nanoTime();
      RowPutChange row =
          new RowPutChange(
              TestTable.key(round % 100, "row"),
              List.of(new Column("v", ColumnValue.fromLong(round))));
      if (!tables.write(TABLE, List.of(row)).allApplied()
          || tables.getRow(TABLE, row.primaryKey()).isEmpty()) {
        throw new AssertionError("round " + round + " went wrong");
      }
      add(System.nanoTime() - started);
    }
  }

  private synchronized void add(long nanos) {
    tookNanos.add(nanos);
  }

  /** Rounds that were made. */
  synchronized int rounds() {
    return tookNanos.size();
  }

  /** It has made whole windows of rounds, {@code windows} more than {@code from} rounds. */
  boolean hasMade(int from, int windows) {
    return end.isCompletedExceptionally() || rounds() >= from + windows * WINDOW_ROUNDS;
  }

  /** The middle one of the windows' 99th percentiles since {@code from} rounds, in ms. */
  synchronized double p99Ms(int from) {
    List<Long> since = tookNanos.subList(from, tookNanos.size());
    int windows = since.size() / WINDOW_ROUNDS;
    double[] p99 = new double[windows];
    for (int window = 0; window < windows; window++) {
      long[] sorted =
          since.subList(window * WINDOW_ROUNDS, (window + 1) * WINDOW_ROUNDS).stream()
              .mapToLong(Long::longValue)
              .sorted()
              .toArray();
      p99[window] = sorted[WINDOW_ROUNDS * 99 / 100 - 1] / 1e6;
    }
    Arrays.sort(p99);
    return p99[windows / 2];
  }

  /** It has met no error. */
  void requireCalm() {
    if (end.isCompletedExceptionally()) {
      end.join();
    }
  }

  /** Ends it. */
  void stop() {
    mustEnd = true;
    try {
      end.join();
    } catch (CompletionException e) {
      throw new AssertionError("the ordinary client met an error", e);
    }
  }
}
