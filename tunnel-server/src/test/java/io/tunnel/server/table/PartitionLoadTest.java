package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.DiskFullException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of a partition that a scan reads, and that a load puts into another table. */
final class PartitionLoadTest {

  private static final int PARTITIONS = 3;
  private static final int LOADED = 2;
  private static final Bytes STATE = Bytes.copyOf(new byte[] {1, 2, 3});

  @TempDir private Path directory;

  private TableStore open(String name) throws IOException {
    return RandomTable.open(directory.resolve(name));
  }

  /** What happens between two steps of a load. */
  @FunctionalInterface
  private interface Between {
    void steps() throws IOException;
  }

  private static void copy(TableStore from, TableStore to, int partition, Between between)
      throws IOException {
    try (PartitionScan scan = from.scanEntries(partition);
        PartitionLoad load = to.load(partition)) {
      between.steps();
      scan.run(
          (range, key, keyOffset, value) -> {
            byte[] all = Arrays.copyOf(key, key.length + value.length);
            System.arraycopy(value, 0, all, key.length, value.length);
            try {
              load.put(range, all, keyOffset, key.length - keyOffset, key.length, value.length);
              between.steps();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return true;
          });
      load.finish(STATE);
      between.steps();
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void a_loaded_partition_has_all_entries_of_all_ranges(long seed) throws IOException {
    Random random = new Random(seed);
    RandomTable rows = new RandomTable(random);
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      for (int i = 0; i < 40; i++) {
        rows.fold(from, PARTITIONS);
      }
      Map<String, Bytes> expected = RandomTable.entries(from, LOADED);
      assertThat(
              expected.keySet().stream()
                  .map(each -> each.substring(0, each.indexOf(" ")))
                  .distinct())
          .contains("BOUND", "WRITER", "EXPIRY", "SESSION", "ROW");
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        copy(from, to, partition, () -> {});
      }
      assertThat(RandomTable.entries(to, LOADED)).isEqualTo(expected);
      rows.requireRows(to, PARTITIONS);
      assertThat(to.bounds()).isEqualTo(from.bounds());
      assertThat(to.sessions()).isEqualTo(from.sessions());
      assertThat(writers(to)).isEqualTo(writers(from));
      assertThat(to.states()).containsOnlyKeys(1, 2, 3).containsValue(STATE);
      assertThat(to.expiries().first(LOADED, 0, 1_000))
          .isEqualTo(from.expiries().first(LOADED, 0, 1_000));
      rows.fold(to, PARTITIONS);
      rows.requireRows(to, PARTITIONS);
    }
  }

  private static List<String> writers(TableStore table) {
    List<String> found = new ArrayList<>();
    table.writers((writer, known) -> found.add(writer + "=" + known));
    return found;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {11, 12, 13, 14})
  void a_load_replaces_what_the_partition_had_and_leaves_other_partitions(long seed)
      throws IOException {
    Random random = new Random(seed);
    RandomTable rows = new RandomTable(random);
    RandomTable others = new RandomTable(random);
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      for (int i = 0; i < 30; i++) {
        rows.fold(from, PARTITIONS);
        others.fold(to, PARTITIONS);
      }
      Map<String, Bytes> kept = RandomTable.entries(to, 1);
      for (int time = 0; time < 2; time++) {
        copy(from, to, LOADED, () -> {});
        assertThat(TableModel.scan(to, LOADED, Bytes.EMPTY, Bytes.EMPTY, true, 1_000))
            .isEqualTo(TableModel.scan(from, LOADED, Bytes.EMPTY, Bytes.EMPTY, true, 1_000));
        assertThat(withoutRows(RandomTable.entries(to, LOADED)))
            .isEqualTo(withoutRows(RandomTable.entries(from, LOADED)));
        assertThat(RandomTable.entries(to, 1)).isEqualTo(kept);
      }
    }
  }

  /** Ids of dictionaries differ in a table that had others. */
  private static Map<String, Bytes> withoutRows(Map<String, Bytes> entries) {
    entries.keySet().removeIf(key -> key.startsWith("ROW") || key.startsWith("DICTIONARY"));
    return entries;
  }

  @Test
  void a_reader_of_former_rows_never_names_columns_by_a_loaded_dictionary() throws IOException {
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      for (int i = 0; i < 3; i++) {
        from.fold(List.of(TestRows.batch(1, TestRows.put("a", column("new")))), 1 + i);
        to.fold(List.of(TestRows.batch(1, TestRows.put("a", column("old")))), 1 + i);
      }
      try (TableSnapshot former = to.snapshot()) {
        copy(from, to, 1, () -> {});
        List<String> names = new ArrayList<>();
        former.scanFrom(1, Bytes.EMPTY, (key, columns) -> names.add(columns.get(0).getName()));
        assertThat(names).containsExactly("old");
        assertThat(to.encodedColumns(1, TestRows.keyBytes("a")).orElseThrow())
            .containsOnlyKeys("new");
      }
    }
  }

  private static Column column(String name) {
    return new Column(name, ColumnValue.fromLong(1));
  }

  @Test
  void a_large_range_becomes_files_and_a_small_one_does_not() throws IOException {
    String megabyte = "x".repeat(1 << 20);
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      for (int i = 0; i < 12; i++) {
        Column large = new Column("c", ColumnValue.fromString(megabyte + i));
        from.fold(List.of(TestRows.batch(1, TestRows.put("k" + (10 + i), large))), 1 + i);
      }
      copy(from, to, 1, () -> {});
      assertThat(RandomTable.entries(to, 1).equals(RandomTable.entries(from, 1))).isTrue();
      assertThat(tables("to")).as("the rows, and the state that was flushed").hasSize(2);
      assertThat(directory.resolve("to/load")).isEmptyDirectory();
    }
    try (TableStore small = open("small");
        TableStore to = open("to")) {
      copy(small, to, 1, () -> {});
      assertThat(RandomTable.entries(to, 1)).isEmpty();
    }
  }

  private List<Path> tables(String store) throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve(store))) {
      return files.filter(each -> each.toString().endsWith(".sst")).toList();
    }
  }

  @Test
  void a_crash_between_two_steps_leaves_all_entries_or_no_state() throws IOException {
    Map<String, Bytes> entries;
    int[] images = {0};
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      fillForCrash(from, to);
      entries = RandomTable.entries(from, 1);
      copy(
          from,
          to,
          1,
          () -> {
            if (images[0]++ % 9 == 0) {
              requireWholeOrNoState("image-" + images[0], entries);
            }
          });
    }
    assertThat(images[0]).isGreaterThan(50);
    requireWholeOrNoState("image-end", entries);
    try (TableStore again = open("to")) {
      assertThat(again.states()).containsEntry(1, STATE);
    }
  }

  private static void fillForCrash(TableStore from, TableStore to) throws IOException {
    RandomTable rows = new RandomTable(new Random(5));
    for (int i = 0; i < 10; i++) {
      rows.fold(from, 1);
      rows.fold(to, 1);
    }
    String half = "x".repeat(1 << 19);
    for (int i = 0; i < 24; i++) {
      Column large = new Column("c", ColumnValue.fromString(half + i));
      from.fold(List.of(TestRows.batch(1, TestRows.put("z" + (10 + i), large))), 20 + i);
    }
    Bytes former = Bytes.copyOf(new byte[] {9});
    to.fold(List.of(), 20, new BesideRows(Map.of(1, former), Map.of()));
    to.startFlush();
  }

  /** A crash loses what was not flushed, and keeps the files. */
  private void requireWholeOrNoState(String image, Map<String, Bytes> entries) throws IOException {
    TableFiles.link(directory.resolve("to"), directory.resolve(image));
    try (TableStore after = open(image)) {
      if (!after.states().isEmpty()) {
        assertThat(after.states()).containsEntry(1, STATE);
        assertThat(withoutRows(RandomTable.entries(after, 1))).isEqualTo(withoutRows(entries));
      }
      after.load(1).close();
      assertThat(RandomTable.entries(after, 1)).isEmpty();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void a_disk_that_fills_ends_the_load_and_another_load_begins_anew() throws IOException {
    String half = "x".repeat(1 << 19);
    try (TableStore from = open("from");
        TableStore to = open("to")) {
      for (int i = 0; i < 24; i++) {
        Column large = new Column("c", ColumnValue.fromString(half + i));
        from.fold(List.of(TestRows.batch(1, TestRows.put("z" + (10 + i), large))), 1 + i);
      }
      Path file = directory.resolve("to/load/1-1.sst");
      Files.createDirectories(file.getParent());
      // Each write to this device fails as a write to a full disk does.
      Files.createSymbolicLink(file, Path.of("/dev/full"));
      assertThatThrownBy(() -> copy(from, to, 1, () -> {}))
          .satisfies(
              e ->
                  assertThat(e instanceof UncheckedIOException ? e.getCause() : e)
                      .isInstanceOf(DiskFullException.class));
      assertThat(to.states()).isEmpty();
      assertThat(file).doesNotExist();
      copy(from, to, 1, () -> {});
      assertThat(to.states()).containsEntry(1, STATE);
      assertThat(RandomTable.entries(to, 1)).hasSameSizeAs(RandomTable.entries(from, 1));
      Bytes last = TestRows.keyBytes("z33");
      assertThat(to.encodedColumns(1, last).equals(from.encodedColumns(1, last))).isTrue();
    }
  }

  @Test
  void files_of_a_load_that_a_crash_ended_go_when_the_table_is_opened() throws IOException {
    Path left = directory.resolve("to/load/1-1.sst");
    Files.createDirectories(left.getParent());
    Files.writeString(left, "half a file");
    open("to").close();
    assertThat(left.getParent()).doesNotExist();
  }

  @Test
  void changes_after_the_scan_was_taken_do_not_appear() throws IOException {
    RandomTable rows = new RandomTable(new Random(8));
    try (TableStore from = open("from")) {
      for (int i = 0; i < 20; i++) {
        rows.fold(from, 1);
      }
      Map<String, Bytes> before = RandomTable.entries(from, 1);
      try (PartitionScan scan = from.scanEntries(1)) {
        scan.run((range, key, keyOffset, value) -> range != KeyRange.WRITER);
        for (int i = 0; i < 20; i++) {
          rows.fold(from, 1);
        }
        Map<String, Bytes> rest = RandomTable.entries(scan);
        assertThat(before).containsAllEntriesOf(rest);
        assertThat(before.keySet().stream().filter(key -> key.startsWith("ROW")).toList())
            .isEqualTo(rest.keySet().stream().filter(key -> key.startsWith("ROW")).toList());
      }
      assertThat(RandomTable.entries(from, 1)).isNotEqualTo(before);
      assertThat(from.snapshotCount()).isZero();
    }
  }

  @Test
  void a_scan_refuses_damaged_rows_and_rows_without_their_dictionary() throws IOException {
    try (TableStore from = open("from")) {
      RandomTable rows = new RandomTable(new Random(3));
      for (int i = 0; i < 200; i++) {
        rows.fold(from, 1);
      }
    }
    Path file = tables("from").get(0);
    try (RandomAccessFile damaged = new RandomAccessFile(file.toFile(), "rw")) {
      damaged.seek(damaged.length() / 3);
      int old = damaged.read();
      damaged.seek(damaged.length() / 3);
      damaged.write(old ^ 0x10);
    }
    try (TableStore from = open("from");
        PartitionScan scan = from.scanEntries(1)) {
      assertThatThrownBy(() -> RandomTable.entries(scan))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT));
    }
  }

  @Test
  void a_load_takes_no_entry_that_no_store_has_and_none_after_its_end() throws IOException {
    try (TableStore to = open("to");
        PartitionLoad load = to.load(1)) {
      byte[] bytes = new byte[30];
      assertThatThrownBy(() -> load.put(KeyRange.BOUND, bytes, 0, 1, 1, 5))
          .isInstanceOf(MalformedException.class)
          .hasMessageContaining("a key of 1 bytes in the range BOUND");
      assertThatThrownBy(() -> load.put(KeyRange.EXPIRY, bytes, 0, 10, 10, 1))
          .hasMessageContaining("a value of 1 bytes in the range EXPIRY");
      load.finish(STATE);
      assertThatThrownBy(() -> load.put(KeyRange.BOUND, bytes, 0, 0, 1, 5))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void a_scan_ends_with_its_close_and_with_the_store() throws IOException {
    TableStore from = open("from");
    PartitionScan closed = from.scanEntries(1);
    PartitionScan left = from.scanEntries(1);
    closed.close();
    closed.close();
    assertThatThrownBy(() -> RandomTable.entries(closed)).hasMessageContaining("is closed");
    from.close();
    assertThatThrownBy(() -> RandomTable.entries(left))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.SHUTTING_DOWN));
    left.close();
  }
}
