package io.tunnel.server.partition;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.log.ChangeReader;
import io.tunnel.server.table.TableStore;
import io.tunnel.wire.Control.PartitionDescription;
import io.tunnel.wire.Control.TableDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Describing tables, and dropping what they hold or hold no longer. */
public final class Tables {

  private static final Logger LOGGER = LoggerFactory.getLogger(Tables.class);

  /** Rows of a partition that a description counts one by one. */
  static final long COUNTED_ROWS_MAX = 1_000_000;

  private final Catalog catalog;
  private final Shards shards;
  private final Retention retention;

  /** For the tables of {@code catalog}, whose partitions are in {@code shards}. */
  public Tables(Catalog catalog, Shards shards) {
    this.catalog = catalog;
    this.shards = shards;
    this.retention = new Retention(catalog, shards);
  }

  /**
   * Gives up the changes that tables keep no longer at {@code nowMicros}, and those of dropped
   * tables. Returns at once; the shards do it on their threads.
   */
  public void retain(long nowMicros) throws IOException {
    retention.look(nowMicros);
  }

  /** The table's partitions and where they end, without figures. */
  public TableDescription partitionMap(TableRecord table) {
    List<PartitionDescription> partitions = new ArrayList<>();
    for (PartitionRecord partition : table.partitions()) {
      partitions.add(describe(partition, new TableStore.RowCount(0, false, 0), 0, 1, 0));
    }
    return describe(table, partitions);
  }

  /** The table with all figures; counts rows, so not for a thread that must not wait. */
  public TableDescription describe(TableRecord table) {
    List<PartitionDescription> partitions = new ArrayList<>();
    for (PartitionRecord partition : table.partitions()) {
      int id = partition.id();
      ChangeReader changes = shards;
      long first = changes.firstPosition(id);
      partitions.add(
          describe(
              partition,
              shards.of(id).table().count(id, COUNTED_ROWS_MAX),
              changes.bytesAfter(id, first - 1),
              first,
              changes.committed(id)));
    }
    return describe(table, partitions);
  }

  private static PartitionDescription describe(
      PartitionRecord partition,
      TableStore.RowCount rows,
      long changeBytes,
      long first,
      long committed) {
    return new PartitionDescription(
        partition.id(),
        partition.from(),
        partition.to(),
        partition.parents(),
        rows.rows(),
        rows.isExact(),
        rows.bytes(),
        changeBytes,
        first,
        committed);
  }

  private static TableDescription describe(
      TableRecord table, List<PartitionDescription> partitions) {
    return new TableDescription(table.tableId(), table.meta(), table.createdMs(), partitions);
  }

  /** Drops a table, and then, each on its shard's thread, the rows of its partitions. */
  public void drop(TableRecord table) throws IOException {
    catalog.dropTable(table);
    for (PartitionRecord partition : table.partitions()) {
      Shard shard = shards.of(partition.id());
      shard.execute(() -> dropRows(shard, partition.id()));
    }
  }

  private static void dropRows(Shard shard, int partition) {
    try {
      shard.table().dropPartition(partition);
    } catch (IOException e) {
      LOGGER.warn("rows of dropped partition {} stay until the next start", partition, e);
    }
  }
}
