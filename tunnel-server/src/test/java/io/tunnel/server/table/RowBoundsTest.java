package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

final class RowBoundsTest {

  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;

  private TableStore open() throws IOException {
    return TableStore.open(directory, CONFIG, () -> {});
  }

  static LongStream seeds() {
    return LongStream.range(0, 12);
  }

  /** Lives that end in order, and lives that end as with the power: with what was flushed. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @Timeout(60)
  void noRowIsAboveTheBoundOfItsPartitionInAnyLife(long seed) throws IOException {
    Random random = new Random(seed);
    RandomChanges changes = new RandomChanges(random, 30);
    Map<Integer, ChangeBatch> touched = new HashMap<>();
    for (int life = 0; life < 6; life++) {
      AtomicBoolean isLost = new AtomicBoolean();
      TableStore table = TableStore.open(directory, CONFIG, () -> requireLog(isLost.get()));
      long offset = table.foldedOffset();
      requireBounds(table, touched);
      for (int group = 0; group < 15; group++) {
        int partition = 1 + random.nextInt(3);
        ChangeBatch batch = batch(partition, changes.changes(random.nextBoolean()));
        touched.merge(partition, batch, (before, now) -> random.nextBoolean() ? now : before);
        table.fold(List.of(batch), ++offset);
        requireBounds(table, touched);
        if (random.nextInt(8) == 0) {
          flush(table, offset);
        }
      }
      isLost.set(random.nextBoolean());
      end(table, isLost.get());
    }
  }

  private static void requireLog(boolean isLost) throws IOException {
    if (isLost) {
      throw new IOException("the log cannot be made durable");
    }
  }

  private static void flush(TableStore table, long offset) throws IOException {
    table.startFlush();
    while (table.durableOffset() < offset) {
      Thread.onSpinWait();
    }
  }

  /** What is not flushed is dropped when the log cannot be synced, as when the process dies. */
  private static void end(TableStore table, boolean isLost) throws IOException {
    if (isLost) {
      assertThatThrownBy(table::close).hasMessageContaining("cannot be made durable");
    } else {
      table.close();
    }
  }

  private static void requireBounds(TableStore table, Map<Integer, ChangeBatch> touched) {
    for (Map.Entry<Integer, ChangeBatch> one : touched.entrySet()) {
      RowBound bound = table.bound(one.getKey());
      RowCursor row = one.getValue().rows();
      while (row.next()) {
        byte[] array = one.getValue().array();
        Map<String, Integer> columns =
            table.columnBytes(one.getKey(), array, row.keyOffset(), row.keyBytes());
        long bytes = columns.values().stream().mapToLong(Integer::longValue).sum();
        assertThat(bytes).isLessThanOrEqualTo(bound.bytes());
        assertThat(columns.size()).isLessThanOrEqualTo(bound.columns());
      }
    }
  }

  @Test
  void aDroppedPartitionHasNoBoundAndTheOthersKeepTheirs() throws IOException {
    try (TableStore table = open()) {
      table.fold(List.of(batch(1, put("a")), batch(2, put("a"))), 1);
      assertThat(table.bound(1)).isEqualTo(table.bound(2)).isNotEqualTo(RowBound.NONE);
      table.dropPartition(1);
      assertThat(table.bound(1)).isEqualTo(RowBound.NONE);
      assertThat(table.bound(3)).isEqualTo(RowBound.NONE);
    }
    try (TableStore table = open()) {
      assertThat(table.bound(1)).isEqualTo(RowBound.NONE);
      assertThat(table.bound(2)).isNotEqualTo(RowBound.NONE);
    }
  }

  @Test
  void ofRowsThatWereWrittenBeforeBoundsWereKeptNothingIsKnown() throws Exception {
    try (TableStore table = open()) {
      table.fold(List.of(batch(1, put("a"))), 1);
    }
    forgetBounds();
    try (TableStore table = open()) {
      assertThat(table.bound(1)).isEqualTo(RowBound.UNKNOWN);
      table.fold(List.of(batch(1, put("b")), batch(2, put("b"))), 2);
      assertThat(table.bound(1)).isEqualTo(RowBound.UNKNOWN);
      assertThat(table.bound(2)).isEqualTo(RowBound.UNKNOWN);
    }
  }

  private void forgetBounds() throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.deleteRange(StoreFormat.boundKey(0), StoreFormat.boundKey(-1));
    }
  }
}
