package io.tunnel.server.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A table over the map in memory has what a table over RocksDB has. */
final class MemoryTableTest {

  private static final int PARTITIONS = 3;
  private static final Expiry TTL = Expiry.ofMillis(60_000);

  @TempDir private Path directory;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void both_tables_have_equal_entries_after_equal_folds(long seed) throws IOException {
    RandomTable toRocks = new RandomTable(new Random(seed));
    RandomTable toMemory = new RandomTable(new Random(seed));
    MemoryMap map = new MemoryMap(() -> {});
    try (TableStore rocks = RandomTable.open(directory);
        TableStore memory = TableStore.over(map, () -> {}, partition -> TTL)) {
      Random random = new Random(seed);
      for (int fold = 0; fold < 30; fold++) {
        toRocks.fold(rocks, PARTITIONS);
        toMemory.fold(memory, PARTITIONS);
        if (random.nextInt(6) == 0) {
          int dropped = 1 + random.nextInt(PARTITIONS);
          for (TableStore table : List.of(rocks, memory)) {
            requireDropped(table, dropped);
          }
          break;
        }
        for (int partition = 1; partition <= PARTITIONS; partition++) {
          assertThat(RandomTable.entries(memory, partition))
              .as("seed %d, fold %d, partition %d", seed, fold, partition)
              .isEqualTo(RandomTable.entries(rocks, partition));
          assertThat(memory.count(partition, 1_000).rows())
              .isEqualTo(rocks.count(partition, 1_000).rows());
        }
        toRocks.requireRows(rocks, PARTITIONS);
        toMemory.requireRows(memory, PARTITIONS);
      }
      assertThat(memory.partitions()).isEqualTo(rocks.partitions());
      assertThat(memory.sessions()).isEqualTo(rocks.sessions());
      assertThat(memory.bounds()).isEqualTo(rocks.bounds());
    }
    try (TableStore again = TableStore.over(map.afterCrash(() -> {}), () -> {}, partition -> TTL);
        TableStore rocks = RandomTable.open(directory)) {
      assertThat(again.foldedOffset()).as("after the close").isEqualTo(rocks.foldedOffset());
      assertThat(again.partitions()).isEqualTo(rocks.partitions());
    }
  }

  private static void requireDropped(TableStore table, int partition) throws IOException {
    table.dropPartition(partition);
    assertThat(RandomTable.entries(table, partition)).isEmpty();
  }
}
