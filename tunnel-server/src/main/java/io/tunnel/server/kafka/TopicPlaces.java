package io.tunnel.server.kafka;

import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.replica.KnownPartitions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Finds the places of partitions in the catalog. */
public record TopicPlaces(Catalog catalog, LongSupplier epochMs)
    implements PartitionTopics, KnownPartitions {

  /** Least retention of any topic; the answer for unknown partitions. */
  private static final long RETENTION_MS_MIN = 60_000;

  @Override
  public Optional<Place> of(int partition) {
    return table(partition).map(table -> new Place(table.tableId(), index(table, partition)));
  }

  /** The table that a partition belongs to; empty without the partition. */
  Optional<TableRecord> table(int partition) {
    if (!catalog.hasPartition(partition)) {
      return Optional.empty();
    }
    try {
      return Optional.of(catalog.tableOfPartition(partition));
    } catch (RefusedException e) {
      // The table was dropped in between.
      return Optional.empty();
    }
  }

  @Override
  public boolean exists(int partition) {
    return catalog.hasPartition(partition);
  }

  @Override
  public boolean isDropped(int partition) {
    return catalog.isDroppedPartition(partition);
  }

  /** The ids of most tables' partitions are consecutive. */
  private static int index(TableRecord table, int partition) {
    List<PartitionRecord> partitions = table.partitions();
    int guess = partition - partitions.get(0).id();
    if (guess >= 0 && guess < partitions.size() && partitions.get(guess).id() == partition) {
      return guess;
    }
    return partitions.indexOf(table.partition(partition));
  }

  /**
   * The bytes of changes that the log of each partition of the table keeps at least; 0 for all. The
   * partitions of a table are led by many nodes, so each partition keeps an equal share.
   */
  public long retentionBytes(int partition) {
    return table(partition)
        .map(found -> share(found.meta().options().retentionBytes(), found.partitions().size()))
        .orElse(0L);
  }

  private static long share(long bytes, int partitions) {
    return bytes / partitions + (bytes % partitions == 0 ? 0 : 1);
  }

  /** The time that the log of a partition keeps every change; {@link Long#MAX_VALUE} for ever. */
  public long retentionMicros(int partition) {
    long retentionMs =
        table(partition).map(table -> table.keptMs(epochMs.getAsLong())).orElse(RETENTION_MS_MIN);
    return retentionMs == 0
        ? Long.MAX_VALUE
        : TimeUnit.MILLISECONDS.toMicros(Math.max(RETENTION_MS_MIN, retentionMs));
  }
}
