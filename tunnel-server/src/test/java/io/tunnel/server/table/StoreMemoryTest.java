package io.tunnel.server.table;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.RowChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of a store whose indexes and filters alone are larger than its cache. */
final class StoreMemoryTest {

  private static final int CACHE_BYTES = 1 << 20;
  private static final int PARTITIONS = 64;
  private static final int ROWS_OF_BATCH = 500;
  private static final int BATCHES = 1_000;
  private static final int READ = 5_000;

  @TempDir private Path directory;

  private static String name(int row) {
    return String.format("%08x-of-many", row * 0x9E3779B9);
  }

  private TableStore open() throws IOException {
    return TableStore.open(directory, new TableStoreConfig(8 << 20, CACHE_BYTES, 1), () -> {});
  }

  private static int partition(int batch) {
    return 1 + batch % PARTITIONS;
  }

  private void write() throws IOException {
    try (TableStore table = open()) {
      for (int i = 0; i < BATCHES; i++) {
        List<RowChange> rows = new ArrayList<>();
        for (int row = i * ROWS_OF_BATCH; row < (i + 1) * ROWS_OF_BATCH; row++) {
          rows.add(put(name(row), new Column("v", ColumnValue.fromLong(row))));
        }
        table.fold(List.of(batch(partition(i), rows)), i + 1);
      }
    }
  }

  @Test
  void indexes_and_filters_are_in_the_cache_and_rows_are_read_with_all_of_them_or_with_few()
      throws IOException {
    write();
    try (TableStore table = open()) {
      Random random = new Random(5);
      for (int i = 0; i < READ; i++) {
        int row = random.nextInt(BATCHES * ROWS_OF_BATCH);
        assertThat(table.get(partition(row / ROWS_OF_BATCH), keyBytes(name(row)))).isPresent();
        assertThat(table.get(partition(i), keyBytes("absent" + i))).isEmpty();
      }
      long outside = table.figure("rocksdb.estimate-table-readers-mem");
      assertThat(outside).as("beside the cache, for half a million rows").isLessThan(64 << 10);
      assertThat(table.figure("rocksdb.block-cache-usage"))
          .isBetween(CACHE_BYTES / 2L, CACHE_BYTES + 64L * 1024);
    }
  }
}
