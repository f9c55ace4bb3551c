package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.TestLogs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShardsTest {

  private static final int SHARDS = 2;
  private static final int PARTITIONS = 5;
  private static final int ROUNDS = 200;

  @TempDir private Path directory;

  private Shards open(Path path, OwnCatalog catalog) throws IOException {
    Shards.Layout layout = TestShards.layout(path, SHARDS, 1 << 16);
    return Shards.open(layout, catalog, new NoMeter(), new TestClock());
  }

  private static void write(Shards shards, int round, List<Outcomes> outcomes) {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      Outcomes outcome = new Outcomes();
      outcomes.add(outcome);
      ChangeBatch batch = batch(partition, put("k" + round), put("same"));
      shards.of(partition).write(Outcomes.write(batch, false, outcome));
    }
  }

  @Test
  void acknowledged_rows_are_there_and_in_order_after_the_process_died() throws Exception {
    Path copy = directory.resolve("copy");
    Path original = directory.resolve("original");
    try (Shards shards = open(original, id -> true)) {
      List<Outcomes> outcomes = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        write(shards, round, outcomes);
      }
      for (Outcomes outcome : outcomes) {
        outcome.result();
      }
      // What a process that is killed leaves: the log's files, and nothing of RocksDB's memory.
      copyTree(original, copy, "log");
    }
    for (int life = 0; life < 2; life++) {
      try (Shards shards = open(copy, id -> true)) {
        for (int partition = 1; partition <= PARTITIONS; partition++) {
          assertThat(shards.committed(partition)).isEqualTo(2 * ROUNDS);
          requireRows(shards, partition);
        }
      }
    }
  }

  private static void requireRows(Shards shards, int partition) throws IOException {
    long next = 1;
    for (ChangeBatch batch : TestLogs.batches(shards, partition)) {
      assertThat(batch.basePosition()).isEqualTo(next);
      next = batch.lastPosition() + 1;
    }
    List<Bytes> keys = new ArrayList<>();
    shards
        .of(partition)
        .table()
        .scan(partition, Bytes.EMPTY, Bytes.EMPTY, true, (key, columns) -> keys.add(key));
    assertThat(keys).hasSize(ROUNDS + 1).contains(keyBytes("same"), keyBytes("k0"));
  }

  @Test
  void a_graceful_stop_leaves_nothing_to_replay() throws Exception {
    try (Shards shards = open(directory, id -> true)) {
      List<Outcomes> outcomes = new ArrayList<>();
      write(shards, 0, outcomes);
    }
    try (Shards shards = open(directory, id -> true)) {
      for (Shard shard : shards.all()) {
        assertThat(shard.store().foldedRows()).isZero();
        assertThat(shard.store().foldedOffset()).isEqualTo(shard.log().end());
      }
      assertThat(shards.firstPosition(1)).isEqualTo(1);
      assertThat(shards.bytesAfter(1, 0)).isPositive();
      assertThat(shards.commitMicrosAfter(1, 1)).isPositive();
    }
  }

  @Test
  void rows_of_partitions_that_exist_no_more_are_left_behind() throws Exception {
    try (Shards shards = open(directory, id -> true)) {
      write(shards, 0, new ArrayList<>());
    }
    try (Shards shards = open(directory, id -> id != 3)) {
      assertThat(shards.of(3).table().count(3, 10).rows()).isZero();
      assertThat(shards.of(1).table().count(1, 10).rows()).isEqualTo(2);
    }
  }

  @Test
  void a_table_ahead_of_its_log_is_refused_and_nothing_stays_open() throws Exception {
    try (Shards shards = open(directory, id -> true)) {
      write(shards, 0, new ArrayList<>());
    }
    Path log = directory.resolve("shard-1/log");
    Path aside = directory.resolve("aside");
    Files.move(log, aside);
    assertThatThrownBy(() -> open(directory, id -> true))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("older than the table");
    try (Stream<Path> begun = Files.list(log)) {
      for (Path file : begun.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(log);
    Files.move(aside, log);
    try (Shards shards = open(directory, id -> true)) {
      assertThat(shards.committed(1)).isEqualTo(2);
    }
  }

  /**
   * A catalog that has given out {@code lastPartition} partitions, and knows {@code partitionIds}
   * of them.
   */
  private record Counted(int lastPartition, int origin, Set<Integer> partitionIds)
      implements OwnCatalog {
    @Override
    public boolean hasPartition(int partition) {
      return partitionIds.contains(partition);
    }
  }

  private void requireRefused(OwnCatalog catalog, String message) {
    assertThatThrownBy(() -> open(directory, catalog))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("Nothing was changed; restore");
  }

  @Test
  void what_the_catalog_never_gave_out_is_refused_and_no_row_is_removed() throws Exception {
    try (Shards shards = open(directory, id -> true)) {
      write(shards, 0, new ArrayList<>());
    }
    requireRefused(new Counted(PARTITIONS - 1, 0, Set.of()), "of partition 5, but the catalog has");
    requireRefused(new Counted(0, 0, Set.of()), "it is older, or another one");
    try (Shards shards = open(directory, id -> true)) {
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        assertThat(shards.of(partition).table().count(partition, 10).rows()).isEqualTo(2);
      }
    }
    try (Shards shards = open(directory, new Counted(PARTITIONS, 0, Set.of()))) {
      assertThat(shards.of(1).table().count(1, 10).rows()).as("dropped").isZero();
    }
  }

  @Test
  void logs_and_rows_of_another_catalog_are_refused_though_their_partitions_have_the_same_ids()
      throws Exception {
    Set<Integer> ids = Set.of(1, 2, 3, 4, 5);
    Counted first = new Counted(PARTITIONS, 7, ids);
    Path copy = directory.resolve("copy");
    Files.createDirectories(directory.resolve("shard-0"));
    Files.createDirectories(directory.resolve("shard-1"));
    try (Shards shards = open(directory, first)) {
      write(shards, 0, new ArrayList<>());
    }
    copyTree(directory, copy, "log");
    copyTree(directory, copy, "table");
    requireRefused(new Counted(PARTITIONS, 8, ids), "log and catalog do not belong together");
    requireRefused(new Counted(PARTITIONS, 0, ids), "log and catalog do not belong together");
    for (int shard = 0; shard < SHARDS; shard++) {
      Path log = directory.resolve("shard-" + shard + "/log");
      try (Stream<Path> files = Files.list(log)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
    }
    requireRefused(new Counted(PARTITIONS, 8, ids), "rows and catalog do not belong together");
    try (Shards shards = open(copy, first)) {
      assertThat(shards.of(1).table().count(1, 10).rows()).isEqualTo(2);
    }
  }

  @Test
  void a_shard_that_is_missing_is_refused_where_tables_have_partitions_in_it() throws Exception {
    Counted catalog = new Counted(PARTITIONS, 0, Set.of(1, 3));
    requireRefused(catalog, "shard-1 is missing, though tables have partitions there");
    assertThat(directory.resolve("shard-1")).doesNotExist();
    assertThat(directory.resolve("shard-0/log")).as("of no table").exists();
  }

  private static void copyTree(Path from, Path to, String only) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (file.getParent().endsWith(only)) {
          Path target = to.resolve(from.relativize(file));
          Files.createDirectories(target.getParent());
          Files.copy(file, target);
        }
      }
    }
  }
}
