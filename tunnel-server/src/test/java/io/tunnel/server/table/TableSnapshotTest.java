package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TableSnapshotTest {

  private static final int PARTITIONS = 3;
  private static final int DEADLINE_S = 60;

  @TempDir private Path directory;
  private final ExecutorService readers = Executors.newFixedThreadPool(2);

  @AfterEach
  void stop() {
    readers.shutdownNow();
  }

  private TableStore open() throws IOException {
    return TableStore.open(directory, new TableStoreConfig(1 << 20, 1 << 20, 1), () -> {});
  }

  /** Reads a partition in pages of {@code pageRows} rows, as a channel does. */
  private static NavigableMap<Bytes, Map<String, ColumnValue>> read(
      TableSnapshot snapshot, int partition, int pageRows) {
    NavigableMap<Bytes, Map<String, ColumnValue>> found = new TreeMap<>();
    Bytes after = Bytes.EMPTY;
    TableSnapshot.Scan scan = TableSnapshot.Scan.STOPPED;
    while (scan == TableSnapshot.Scan.STOPPED) {
      List<Bytes> page = new ArrayList<>();
      Bytes from = after;
      scan =
          snapshot.scanBehind(
              partition,
              from,
              (key, columns) -> {
                if (page.size() == pageRows) {
                  return false;
                }
                assertThat(key.compareTo(page.isEmpty() ? from : page.get(page.size() - 1)))
                    .isPositive();
                page.add(key);
                assertThat(found.put(key, byName(columns))).as("a row twice").isNull();
                return true;
              });
      after = page.isEmpty() ? after : page.get(page.size() - 1);
    }
    assertThat(scan).isEqualTo(TableSnapshot.Scan.WHOLE);
    return found;
  }

  private static Map<String, ColumnValue> byName(List<Column> columns) {
    Map<String, ColumnValue> byName = new HashMap<>();
    columns.forEach(column -> byName.put(column.getName(), column.getValue()));
    return byName;
  }

  private static Map<Integer, NavigableMap<Bytes, Map<String, ColumnValue>>> copyOf(
      TableModel model) {
    Map<Integer, NavigableMap<Bytes, Map<String, ColumnValue>>> copy = new TreeMap<>();
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      NavigableMap<Bytes, Map<String, ColumnValue>> rows = new TreeMap<>();
      model.rows(partition).forEach((key, columns) -> rows.put(key, Map.copyOf(columns)));
      copy.put(partition, rows);
    }
    return copy;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void a_snapshot_has_exactly_the_rows_of_its_moment_whatever_is_folded_while_it_is_read(long seed)
      throws Exception {
    Random random = new Random(seed);
    TableModel model = new TableModel();
    RandomChanges changes = new RandomChanges(random, seed % 2 == 0 ? 3 : 1_000_000);
    List<Future<?>> reads = new ArrayList<>();
    try (TableStore table = open()) {
      for (int group = 1; group <= 120; group++) {
        table.fold(randomGroup(random, changes, model), group);
        if (random.nextInt(10) == 0) {
          TableSnapshot snapshot = table.snapshot();
          Map<Integer, NavigableMap<Bytes, Map<String, ColumnValue>>> expected = copyOf(model);
          int pageRows = 1 + random.nextInt(8);
          reads.add(
              readers.submit(
                  () -> {
                    try (snapshot) {
                      for (int partition = 1; partition <= PARTITIONS; partition++) {
                        assertThat(read(snapshot, partition, pageRows))
                            .isEqualTo(expected.get(partition));
                      }
                    }
                  }));
        }
        if (random.nextInt(40) == 0) {
          int dropped = 1 + random.nextInt(PARTITIONS);
          table.dropPartition(dropped);
          model.rows(dropped).clear();
        }
      }
      for (Future<?> read : reads) {
        read.get(DEADLINE_S, TimeUnit.SECONDS);
      }
      assertThat(reads).isNotEmpty();
      assertThat(table.snapshotCount()).isZero();
    }
  }

  private static List<ChangeBatch> randomGroup(
      Random random, RandomChanges changes, TableModel model) {
    List<ChangeBatch> group = new ArrayList<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      int partition = 1 + random.nextInt(PARTITIONS);
      List<RowChange> rows = changes.changes(random.nextBoolean());
      rows.forEach(row -> model.apply(partition, row));
      group.add(batch(partition, rows));
    }
    return group;
  }

  @Test
  void a_scan_begins_behind_its_key_and_stays_in_its_partition() throws IOException {
    try (TableStore table = open()) {
      table.fold(
          List.of(batch(1, put("z")), batch(2, put("a"), put("ab"), put("b")), batch(3, put("a"))),
          1);
      try (TableSnapshot snapshot = table.snapshot()) {
        List<Bytes> found = new ArrayList<>();
        snapshot.scanBehind(2, keyBytes("a"), (key, columns) -> found.add(key));
        assertThat(found).containsExactly(keyBytes("ab"), keyBytes("b"));
        assertThat(snapshot.scanBehind(2, keyBytes("b"), (key, columns) -> false))
            .isEqualTo(TableSnapshot.Scan.WHOLE);
        assertThat(snapshot.scanBehind(2, Bytes.EMPTY, (key, columns) -> false))
            .isEqualTo(TableSnapshot.Scan.STOPPED);
      }
    }
  }

  @Test
  void a_snapshot_that_is_closed_under_a_read_is_read_to_its_end_and_freed_then()
      throws IOException {
    try (TableStore table = open()) {
      table.fold(List.of(batch(1, put("a"), put("b"), put("c"))), 1);
      TableSnapshot snapshot = table.snapshot();
      List<Bytes> found = new ArrayList<>();
      TableSnapshot.Scan scan =
          snapshot.scanBehind(
              1,
              Bytes.EMPTY,
              (key, columns) -> {
                snapshot.close();
                assertThat(table.snapshotCount()).as("still read from").isEqualTo(1);
                return found.add(key);
              });
      assertThat(scan).isEqualTo(TableSnapshot.Scan.WHOLE);
      assertThat(found).hasSize(3);
      assertThat(table.snapshotCount()).isZero();
      assertThat(snapshot.scanBehind(1, Bytes.EMPTY, (key, columns) -> true))
          .isEqualTo(TableSnapshot.Scan.CLOSED);
      snapshot.close();
    }
  }

  @Test
  void a_visitor_that_fails_leaves_nothing_open() throws IOException {
    try (TableStore table = open()) {
      table.fold(List.of(batch(1, put("a"))), 1);
      TableSnapshot snapshot = table.snapshot();
      assertThatThrownBy(
              () ->
                  snapshot.scanBehind(
                      1,
                      Bytes.EMPTY,
                      (key, columns) -> {
                        throw new IllegalArgumentException("not this row");
                      }))
          .hasMessage("not this row");
      snapshot.close();
      assertThat(table.snapshotCount()).isZero();
    }
  }

  @Test
  void a_store_closes_when_the_reads_under_way_have_ended_and_frees_its_snapshots()
      throws Exception {
    TableStore table = open();
    table.fold(List.of(batch(1, put("a"), put("b"))), 1);
    TableSnapshot snapshot = table.snapshot();
    CountDownLatch isReading = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    Future<TableSnapshot.Scan> read =
        readers.submit(
            () ->
                snapshot.scanBehind(
                    1,
                    Bytes.EMPTY,
                    (key, columns) -> {
                      isReading.countDown();
                      return await(mayGoOn);
                    }));
    assertThat(await(isReading)).isTrue();
    CompletableFuture<Void> closed = new CompletableFuture<>();
    Thread closer =
        new Thread(
            () -> {
              try {
                table.close();
                closed.complete(null);
              } catch (IOException e) {
                closed.completeExceptionally(e);
              }
            });
    closer.start();
    while (closer.getState() != Thread.State.WAITING && !closed.isDone()) {
      Thread.onSpinWait();
    }
    assertThat(closed).isNotDone();
    mayGoOn.countDown();
    assertThat(read.get(DEADLINE_S, TimeUnit.SECONDS)).isEqualTo(TableSnapshot.Scan.WHOLE);
    closed.get(DEADLINE_S, TimeUnit.SECONDS);
    assertThat(table.snapshotCount()).isZero();
    snapshot.close();
    assertThat(snapshot.scanBehind(1, Bytes.EMPTY, (key, columns) -> true))
        .isEqualTo(TableSnapshot.Scan.CLOSED);
    assertThatThrownBy(table::snapshot)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
  }

  private static boolean await(CountDownLatch latch) {
    try {
      return latch.await(DEADLINE_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
