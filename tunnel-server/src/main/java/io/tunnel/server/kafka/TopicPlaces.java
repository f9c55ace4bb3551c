package io.tunnel.server.kafka;

import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.replica.KnownPartitions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Where the catalog says that partitions are. */
public record TopicPlaces(Catalog catalog, LongSupplier epochMs)
    implements PartitionTopics, KnownPartitions {

  /** What every topic keeps at least; said of partitions that are not known yet. */
  private static final long RETENTION_MS_MIN = 60_000;

  private static final long DELETION_MICROS_MIN = TimeUnit.DAYS.toMicros(1);

  @Override
  public Optional<Place> of(int partition) {
    if (!catalog.hasPartition(partition)) {
      return Optional.empty();
    }
    try {
      TableRecord table = catalog.tableOfPartition(partition);
      return Optional.of(
          new Place(table.tableId(), index(table, partition), table.keptMs(epochMs.getAsLong())));
    } catch (RefusedException e) {
      // Dropped since.
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

  @Override
  public Bytes origin(int partition) {
    if (!catalog.hasPartition(partition)) {
      return Bytes.EMPTY;
    }
    try {
      return catalog.tableOfPartition(partition).origin().orElse(Bytes.EMPTY);
    } catch (RefusedException e) {
      // Dropped since.
      return Bytes.EMPTY;
    }
  }

  /** Most tables have their partitions' ids in a row. */
  private static int index(TableRecord table, int partition) {
    List<PartitionRecord> partitions = table.partitions();
    int guess = partition - partitions.get(0).id();
    if (guess >= 0 && guess < partitions.size() && partitions.get(guess).id() == partition) {
      return guess;
    }
    return partitions.indexOf(table.partition(partition));
  }

  /**
   * How long a topic keeps deletions at least: {@code delete.retention.ms}, less an eighth because
   * the clocks of brokers and nodes may be set meanwhile.
   */
  public long deletionMicros(int partition) {
    long kept = Math.max(retentionMicros(partition), DELETION_MICROS_MIN);
    return kept == Long.MAX_VALUE ? kept : kept - kept / 8;
  }

  /** How long the log of a partition keeps every change; {@link Long#MAX_VALUE} for ever. */
  public long retentionMicros(int partition) {
    long retentionMs = of(partition).map(Place::retentionMs).orElse(RETENTION_MS_MIN);
    return retentionMs == 0
        ? Long.MAX_VALUE
        : TimeUnit.MILLISECONDS.toMicros(Math.max(RETENTION_MS_MIN, retentionMs));
  }
}
