package io.tunnel.server.table;

import io.tunnel.codec.ByteSink;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A table whose partitions have entries of all ranges of keys. */
public final class RandomTable {

  private static final TableStoreConfig CONFIG = new TableStoreConfig(1 << 20, 1 << 20, 1);
  private static final Expiry TTL = Expiry.ofMillis(60_000);

  private final Random random;
  private final RandomChanges changes;
  private final TableModel model = new TableModel();

  /** A table that has no rows yet. */
  public RandomTable(Random random) {
    this.random = random;
    this.changes = new RandomChanges(random, random.nextBoolean() ? 3 : 200);
  }

  /** Opens a table whose rows expire. */
  public static TableStore open(Path directory) throws IOException {
    return TableStore.openUncompacted(directory, CONFIG, () -> {}, partition -> TTL);
  }

  /** Folds changes of partitions 1 to {@code partitions}, and what belongs to them. */
  public void fold(TableStore table, int partitions) throws IOException {
    List<ChangeBatch> batches = new ArrayList<>();
    Map<Integer, Bytes> bounds = new HashMap<>();
    Map<Bytes, Bytes> writers = new HashMap<>();
    Map<Bytes, Bytes> sessions = new HashMap<>();
    for (int partition = 1; partition <= partitions; partition++) {
      List<RowChange> rows = changes.changes(true);
      for (RowChange row : rows) {
        model.apply(partition, row);
      }
      batches.add(TestRows.batch(partition, rows));
      bounds.put(partition, bytes(1 + random.nextInt(30)));
      writers.put(partitioned(partition, random.nextInt(4) * 8), bytes(1 + random.nextInt(50)));
      sessions.put(partitioned(partition, 1 + random.nextInt(3)), bytes(8));
    }
    table.fold(
        batches, table.foldedOffset() + 1, new BesideRows(Map.of(), bounds, writers, sessions));
  }

  private Bytes partitioned(int partition, int more) {
    ByteSink sink = new ByteSink(Integer.BYTES + more);
    sink.writeInt(partition);
    sink.write(bytes(more));
    return Bytes.copyOf(sink.toByteArray());
  }

  private Bytes bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Bytes.copyOf(bytes);
  }

  /** The rows are those that were folded. */
  public void requireRows(TableStore table, int partitions) {
    model.requireEqual(table, partitions, random);
  }

  /** All entries of a partition, by range and key, as a scan has them. */
  public static Map<String, Bytes> entries(TableStore table, int partition) {
    try (PartitionScan scan = table.scanEntries(partition)) {
      return entries(scan);
    }
  }

  /** What a scan has left. */
  static Map<String, Bytes> entries(PartitionScan scan) {
    Map<String, Bytes> found = new LinkedHashMap<>();
    boolean isWhole = false;
    while (!isWhole) {
      int before = found.size();
      isWhole =
          scan.run(
              (range, key, keyOffset, value) -> {
                if (found.size() - before == 7) {
                  return false;
                }
                Bytes rest = Bytes.copyOf(key, keyOffset, key.length - keyOffset);
                found.put(range + " " + rest, Bytes.copyOf(value));
                return true;
              });
    }
    return found;
  }
}
