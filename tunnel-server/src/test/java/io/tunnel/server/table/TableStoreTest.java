package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.Limits;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.rocks.ReadOnlyRocks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.StringAppendOperator;

final class TableStoreTest {

  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 1);
  private static final int PARTITIONS = 4;
  private static final int FILES_COMPACTED_TOGETHER = 16;

  @TempDir private Path directory;

  private TableStore open() throws IOException {
    return TableStore.open(directory, CONFIG, () -> {});
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void rows_are_the_fold_of_their_changes_whatever_the_groups(long seed) throws IOException {
    Random random = new Random(seed);
    TableModel model = new TableModel();
    RandomChanges changes = new RandomChanges(random, seed % 2 == 0 ? 3 : 1_000_000);
    long offset = 0;
    for (int life = 0; life < 3; life++) {
      try (TableStore table = open()) {
        assertThat(table.foldedOffset()).isEqualTo(offset);
        for (int group = 0; group < 60; group++) {
          offset += 1 + random.nextInt(1_000);
          table.fold(randomGroup(random, changes, model), offset);
          assertThat(table.foldedOffset()).isEqualTo(offset);
          model.requireEqual(table, PARTITIONS, random);
        }
      }
    }
  }

  @Test
  void what_is_folded_is_durable_only_when_it_is_on_disk() throws IOException {
    try (TableStore table = open()) {
      assertThat(table.durableOffset()).isZero();
      table.fold(List.of(batch(1, put("a"))), 100);
      assertThat(table.foldedOffset()).isEqualTo(100);
      assertThat(table.durableOffset()).isZero();
      table.startFlush();
      awaitDurable(table, 100);
      table.fold(List.of(batch(1, put("b"))), 200);
      assertThat(table.durableOffset()).isEqualTo(100);
    }
    try (TableStore table = open()) {
      assertThat(table.durableOffset()).isEqualTo(200);
    }
  }

  /** A start on a disk that is nearly full has to fold before anything is compacted. */
  @Test
  void a_table_that_is_opened_uncompacted_compacts_its_files_when_it_is_told_to()
      throws IOException {
    for (int files = 0; files < FILES_COMPACTED_TOGETHER + 4; files++) {
      try (TableStore table =
          TableStore.openUncompacted(directory, CONFIG, () -> {}, Expiries.NONE)) {
        assertThat(files()).isEqualTo(files);
        table.fold(List.of(batch(1, put("a"))), table.foldedOffset() + 1);
      }
    }
    try (TableStore table =
        TableStore.openUncompacted(directory, CONFIG, () -> {}, Expiries.NONE)) {
      assertThat(files()).isEqualTo(FILES_COMPACTED_TOGETHER + 4);
      table.compact();
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (files() >= FILES_COMPACTED_TOGETHER) {
        assertThat(System.nanoTime() - deadline).as("files are compacted").isNegative();
        Thread.onSpinWait();
      }
    }
  }

  private long files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".sst")).count();
    }
  }

  private static List<ChangeBatch> randomGroup(
      Random random, RandomChanges changes, TableModel model) {
    List<ChangeBatch> group = new ArrayList<>();
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      int partition = 1 + random.nextInt(PARTITIONS);
      List<RowChange> rows = changes.changes(random.nextBoolean());
      rows.forEach(row -> model.apply(partition, row));
      group.add(batch(partition, rows));
    }
    return group;
  }

  /** No update, and no row that one makes, has more columns than it may have; together they do. */
  @Test
  void updates_that_together_name_more_columns_than_a_row_has_are_folded_together()
      throws IOException {
    List<RowChange> before = new ArrayList<>();
    List<RowChange> together = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      before.add(updates("k" + i, sets("a", 1_000)));
      together.add(updates("k" + i, removes("a", 600)));
      together.add(updates("k" + i, sets("b", 600)));
    }
    for (int i = 8; i < 16; i++) {
      for (String absent : List.of("c", "d", "e", "f")) {
        together.add(updates("k" + i, removes(absent, Limits.ROW_COLUMNS_MAX)));
      }
      together.add(updates("k" + i, sets("g", 1)));
    }
    TableModel model = new TableModel();
    before.forEach(row -> model.apply(1, row));
    together.forEach(row -> model.apply(1, row));
    try (TableStore table = open()) {
      table.fold(List.of(batch(1, before)), 1);
      table.fold(together.stream().map(row -> batch(1, row)).toList(), 2);
      model.requireEqual(table, 1, new Random(7));
    }
    try (TableStore table = open()) {
      model.requireEqual(table, 1, new Random(8));
    }
  }

  @Test
  void rows_of_more_shapes_than_there_are_dictionaries_carry_their_names() throws IOException {
    TableModel model = new TableModel();
    int shapes = Dictionaries.PARTITION_COUNT_MAX + 200;
    try (TableStore table = open()) {
      for (int i = 0; i < shapes; i++) {
        RowChange row = put("k" + i, new Column("shape" + i, ColumnValue.fromLong(i)));
        model.apply(1, row);
        table.fold(List.of(batch(1, row)), i + 1);
      }
    }
    try (TableStore table = open()) {
      RowChange inline = update("k" + (shapes - 1), "more");
      RowChange known = update("k1", "more");
      model.apply(1, inline);
      model.apply(1, known);
      table.fold(List.of(batch(1, inline, known)), shapes + 1);
      model.requireEqual(table, 1, new Random(7));
    }
  }

  /** A dictionary was kept for good, on disk and in memory, also when its table was dropped. */
  @Test
  void names_are_dropped_with_their_partition() throws IOException {
    try (TableStore table = open()) {
      for (int partition = 1; partition <= 3; partition++) {
        RowChange row = put("k", new Column("shape" + partition, ColumnValue.fromLong(1)));
        table.fold(List.of(batch(partition, row), batch(partition, row)), partition);
      }
      table.dropPartition(1);
      table.retainPartitions(id -> id == 2);
      assertThat(table.get(2, keyBytes("k")).orElseThrow()).hasSize(1);
    }
    assertThat(dictionaryPartitions()).containsExactly(2);
  }

  @Test
  void names_of_a_partition_without_rows_are_dropped_when_the_store_is_opened() throws IOException {
    try (TableStore table = open()) {
      RowChange row = put("k", new Column("shape", ColumnValue.fromLong(1)));
      RowChange delete = new RowDeleteChange(TestRows.key("k"));
      table.fold(List.of(batch(1, row), batch(1, row), batch(1, delete)), 1);
      table.retainPartitions(id -> id == 1);
    }
    assertThat(dictionaryPartitions()).containsExactly(1);
    try (TableStore table = open()) {
      table.retainPartitions(id -> false);
    }
    assertThat(dictionaryPartitions()).isEmpty();
  }

  private List<Integer> dictionaryPartitions() throws IOException {
    List<Integer> partitions = new ArrayList<>();
    byte[] kind = Arrays.copyOf(StoreFormat.dictionariesOf(0), 5);
    try (ReadOnlyRocks rocks = new ReadOnlyRocks(directory)) {
      rocks.forEach(
          (key, value) -> {
            if (Arrays.equals(kind, 0, 5, key, 0, 5)) {
              partitions.add(StoreFormat.dictionaryPartition(key));
            }
          });
    }
    return partitions;
  }

  @Test
  void a_row_grows_by_updates_to_as_many_columns_as_a_row_may_have() throws IOException {
    TableModel model = new TableModel();
    try (TableStore table = open()) {
      for (int i = 0; i < 1_024; i += 64) {
        List<ColumnUpdate> updates = new ArrayList<>();
        for (int c = i; c < i + 64; c++) {
          updates.add(new ColumnUpdate.Put("column" + c, ColumnValue.fromLong(c)));
        }
        RowChange row = new RowUpdateChange(TestRows.key("k1"), updates);
        model.apply(1, row);
        table.fold(List.of(batch(1, row)), i + 1);
      }
      model.requireEqual(table, 1, new Random(1));
    }
  }

  @Test
  void partitions_do_not_see_their_neighbours_and_are_dropped_alone() throws IOException {
    try (TableStore table = open()) {
      for (int partition : new int[] {254, 255, 256, 257, 65_535, 65_536}) {
        table.fold(List.of(batch(partition, put("p" + partition))), partition);
      }
      assertThat(keys(table, 255)).containsExactly(keyBytes("p255"));
      table.dropPartition(256);
      assertThat(keys(table, 255)).containsExactly(keyBytes("p255"));
      assertThat(keys(table, 256)).isEmpty();
      assertThat(keys(table, 257)).containsExactly(keyBytes("p257"));
      table.retainPartitions(id -> id == 254 || id == 65_536);
      assertThat(keys(table, 254)).isNotEmpty();
      assertThat(keys(table, 65_536)).isNotEmpty();
      for (int partition : new int[] {255, 256, 257, 65_535}) {
        assertThat(keys(table, partition)).as("partition %d", partition).isEmpty();
      }
      assertThat(table.foldedOffset()).isEqualTo(65_536);
      table.fold(List.of(batch(255, put("again"))), 70_000);
      assertThat(keys(table, 255)).containsExactly(keyBytes("again"));
    }
  }

  @Test
  void files_of_a_dropped_partition_alone_go_at_once_and_no_row_of_another() throws Exception {
    try (TableStore table = open()) {
      for (int partition = 1; partition <= 3; partition++) {
        for (int i = 0; i < 300; i++) {
          table.fold(List.of(batch(partition, put("k" + i + "x".repeat(1_000)))), partition);
        }
      }
    }
    intoSmallFiles();
    try (TableStore table = open()) {
      long bytes = table.figure("rocksdb.total-sst-files-size");
      table.dropFiles(2);
      assertThat(table.figure("rocksdb.total-sst-files-size")).isLessThan(bytes * 3 / 4);
      assertThat(keys(table, 2).size()).as("in files with rows of others").isLessThan(150);
      assertThat(keys(table, 1)).hasSize(300);
      assertThat(keys(table, 3)).hasSize(300);
    }
  }

  /** As compactions leave a large table. */
  private void intoSmallFiles() throws RocksDBException {
    try (StringAppendOperator append = new StringAppendOperator("");
        Options options =
            new Options()
                .setMergeOperator(append)
                .setTargetFileSizeBase(16 << 10)
                .setCompressionType(CompressionType.NO_COMPRESSION);
        CompactRangeOptions again =
            new CompactRangeOptions()
                .setBottommostLevelCompaction(
                    CompactRangeOptions.BottommostLevelCompaction.kForce);
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.compactRange(db.getDefaultColumnFamily(), null, null, again);
    }
  }

  private static List<Bytes> keys(TableStore table, int partition) {
    List<Bytes> keys = new ArrayList<>();
    table.scan(partition, Bytes.EMPTY, Bytes.EMPTY, true, (key, columns) -> keys.add(key));
    return keys;
  }

  @Test
  void what_is_on_disk_after_the_memory_is_gone_is_the_fold_up_to_its_offset() throws IOException {
    List<List<ChangeBatch>> groups = new ArrayList<>();
    TableModel model = new TableModel();
    Random random = new Random(11);
    RandomChanges changes = new RandomChanges(random, 5);
    AtomicBoolean isLost = new AtomicBoolean();
    TableStore lost = TableStore.open(directory, CONFIG, () -> requireWhole(isLost.get()));
    for (int group = 0; group < 1_500; group++) {
      groups.add(randomGroup(random, changes, model));
      lost.fold(groups.get(group), group + 1);
    }
    isLost.set(true);
    // Buffers that were full went to disk; the last one is dropped, as when the process dies.
    assertThatThrownBy(lost::close).hasMessageContaining("cannot be made durable");
    try (TableStore table = open()) {
      int folded = (int) table.foldedOffset();
      assertThat(folded).isBetween(1, groups.size() - 1);
      for (int group = folded; group < groups.size(); group++) {
        table.fold(groups.get(group), group + 1);
      }
      model.requireEqual(table, PARTITIONS, random);
    }
  }

  private static void requireWhole(boolean isLost) throws IOException {
    if (isLost) {
      throw new IOException("the log cannot be made durable");
    }
  }

  /** RocksDB begins a flush by itself when a buffer is full, and nobody can hold that up. */
  @Test
  void rows_of_a_log_that_cannot_be_synced_never_go_to_disk_and_stay_readable() throws IOException {
    AtomicBoolean isLost = new AtomicBoolean();
    CountDownLatch asked = new CountDownLatch(1);
    TableStore table =
        TableStore.open(
            directory,
            CONFIG,
            () -> {
              // Looked at once: the test takes it back as soon as this sync has begun to fail.
              boolean fails = isLost.get();
              if (fails) {
                asked.countDown();
              }
              requireWhole(fails);
            });
    table.fold(List.of(batch(1, put("durable"))), 100);
    table.startFlush();
    awaitDurable(table, 100);
    isLost.set(true);
    table.fold(List.of(batch(1, put("lost"))), 200);
    table.startFlush();
    assertThat(awaits(asked)).isTrue();
    // The disk seems to be well again, but what it forgot is gone: no later flush may count either.
    isLost.set(false);
    assertThatThrownBy(() -> fill(table)).isInstanceOf(IOException.class);
    assertThat(keys(table, 1)).contains(keyBytes("durable"), keyBytes("lost"));
    assertThat(table.durableOffset()).isEqualTo(100);
    isLost.set(true);
    assertThatThrownBy(table::close).hasMessageContaining("cannot be made durable");
    try (TableStore left = open()) {
      assertThat(left.foldedOffset()).isEqualTo(100);
      assertThat(keys(left, 1)).containsExactly(keyBytes("durable"));
    }
  }

  /** Folds until every buffer is full. */
  private static void fill(TableStore table) throws IOException {
    Column megabyte = new Column("c", ColumnValue.fromString("v".repeat(1 << 20)));
    for (int i = 1; i <= 20; i++) {
      table.fold(List.of(batch(2, put("k" + i, megabyte))), 200 + i);
    }
  }

  private static boolean awaits(CountDownLatch latch) {
    try {
      return latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitDurable(TableStore table, long offset) throws IOException {
    for (int looks = 0; table.durableOffset() < offset; looks++) {
      assertThat(looks).as("looks until the flush is done").isLessThan(10_000_000);
    }
  }

  @Test
  void the_log_is_synced_before_rows_go_to_disk() throws IOException {
    int[] syncs = new int[1];
    TableStore table = TableStore.open(directory, CONFIG, () -> syncs[0]++);
    table.fold(List.of(batch(1, put("a"))), 10);
    assertThat(syncs[0]).isZero();
    table.close();
    assertThat(syncs[0]).isPositive();
  }

  @Test
  void rows_beyond_what_is_counted_are_estimated() throws IOException {
    try (TableStore table = open()) {
      List<RowChange> rows = new ArrayList<>();
      for (int i = 0; i < 5_000; i++) {
        rows.add(put("k" + i, new Column("c", ColumnValue.fromString("v".repeat(100)))));
      }
      table.fold(List.of(batch(1, rows)), 1);
      assertThat(table.count(1, 5_000)).matches(TableStore.RowCount::isExact);
      assertThat(table.count(1, 1_000).isExact()).isFalse();
      assertThat(table.count(1, 1_000).rows()).isBetween(1_000L, 50_000L);
      assertThat(table.count(2, 10).rows()).isZero();
    }
  }

  @Test
  void a_directory_in_use_is_refused_by_name() throws IOException {
    try (TableStore table = open()) {
      assertThat(table.foldedOffset()).isZero();
      assertThatThrownBy(this::open)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot open the table in " + directory);
    }
  }

  private static RowChange update(String key, String column) {
    return new RowUpdateChange(
        TestRows.key(key), List.of(new ColumnUpdate.Put(column, ColumnValue.fromLong(1))));
  }

  private static RowChange updates(String key, Stream<ColumnUpdate> columns) {
    return new RowUpdateChange(TestRows.key(key), columns.toList());
  }

  private static Stream<ColumnUpdate> sets(String names, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new ColumnUpdate.Put(names + i, ColumnValue.fromLong(i)));
  }

  private static Stream<ColumnUpdate> removes(String names, int count) {
    return IntStream.range(0, count).mapToObj(i -> new ColumnUpdate.Delete(names + i));
  }
}
