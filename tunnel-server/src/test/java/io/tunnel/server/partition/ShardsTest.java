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
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ShardsTest {

  private static final int SHARDS = 2;
  private static final int PARTITIONS = 5;
  private static final int ROUNDS = 200;

  @TempDir private Path directory;

  private Shards open(Path path, IntPredicate isLive) throws IOException {
    Shards.Layout layout = TestShards.layout(path, SHARDS, 1 << 16);
    return Shards.open(layout, isLive, new NoMeter(), new TestClock());
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
  void acknowledgedRowsAreThereAndInOrderAfterTheProcessDied() throws Exception {
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
  void aGracefulStopLeavesNothingToReplay() throws Exception {
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
  void rowsOfPartitionsThatExistNoMoreAreLeftBehind() throws Exception {
    try (Shards shards = open(directory, id -> true)) {
      write(shards, 0, new ArrayList<>());
    }
    try (Shards shards = open(directory, id -> id != 3)) {
      assertThat(shards.of(3).table().count(3, 10).rows()).isZero();
      assertThat(shards.of(1).table().count(1, 10).rows()).isEqualTo(2);
    }
  }

  @Test
  void aTableAheadOfItsLogIsRefusedAndNothingStaysOpen() throws Exception {
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
