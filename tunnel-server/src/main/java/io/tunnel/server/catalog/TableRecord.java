package io.tunnel.server.catalog;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * A table with its partitions in key order; together they cover every key once.
 *
 * @param tableId at least 1; never reused
 * @param rise rise of the retention, while a shared log does not keep all changes of the new
 *     retention yet
 * @param origin origin of the shared log, unique among logs; absent without a cluster
 * @param creator the creating principal; absent for a table made without authentication
 */
public record TableRecord(
    int tableId,
    TableMeta meta,
    long createdMs,
    List<PartitionRecord> partitions,
    Optional<RetentionRise> rise,
    Optional<Bytes> origin,
    Optional<String> creator) {

  /** Copies the list. */
  public TableRecord {
    partitions = List.copyOf(partitions);
    rise = rise == null ? Optional.empty() : rise;
    origin = origin == null ? Optional.empty() : origin;
    creator = creator == null ? Optional.empty() : creator;
  }

  /** A table whose retention never rose. */
  public TableRecord(
      int tableId, TableMeta meta, long createdMs, List<PartitionRecord> partitions) {
    this(
        tableId, meta, createdMs, partitions, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** This table with a creator. */
  TableRecord createdBy(Optional<String> principal) {
    return new TableRecord(tableId, meta, createdMs, partitions, rise, origin, principal);
  }

  /** This table with the origin of its log. */
  public TableRecord withOrigin(Optional<Bytes> newOrigin) {
    return new TableRecord(tableId, meta, createdMs, partitions, rise, newOrigin, creator);
  }

  /** This table with other options, in a log of its own. */
  TableRecord altered(TableOptions options) {
    return new TableRecord(
        tableId, with(options), createdMs, partitions, Optional.empty(), origin, creator);
  }

  private TableMeta with(TableOptions options) {
    return new TableMeta(meta.name(), meta.primaryKey(), options);
  }

  /**
   * The time before {@code nowMs} for which all changes are kept, in milliseconds; 0 for ever. Less
   * than the retention of the options while the retention {@linkplain #rise rises}.
   */
  public long keptMs(long nowMs) {
    long promised = meta.options().retentionMs();
    if (rise.isEmpty()) {
      return promised;
    }
    long kept = rise.get().keptMs(nowMs);
    return promised == 0 ? kept : Math.min(promised, kept);
  }

  /** This table with other options from {@code nowMs} on, in a shared log. */
  TableRecord altered(TableOptions options, long nowMs) {
    long kept = keptMs(nowMs);
    long promised = options.retentionMs();
    boolean isMore = kept > 0 && (promised == 0 || promised > kept);
    Optional<RetentionRise> risen =
        isMore ? Optional.of(new RetentionRise(nowMs, kept)) : Optional.empty();
    return new TableRecord(tableId, with(options), createdMs, partitions, risen, origin, creator);
  }

  /** The partition of that id. */
  public PartitionRecord partition(int id) {
    for (PartitionRecord partition : partitions) {
      if (partition.id() == id) {
        return partition;
      }
    }
    throw new RefusedException(
        ErrorCode.WRONG_PARTITION,
        "table " + meta.name() + " has no partition " + id + "; read its partition map again");
  }

  /** The partition that holds the row of an encoded key. */
  public PartitionRecord partitionOf(Bytes key) {
    byte[] array = key.toByteArray();
    int first = KeyCodec.skipColumn(array, 0, array.length, meta.primaryKey().get(0).type());
    return partitions.get(indexOf(Bytes.copyOf(array, 0, first)));
  }

  /**
   * Index of the partition that holds the first bound at or above {@code bound}, which need not be
   * a complete column.
   */
  public int indexOf(Bytes bound) {
    int index = partitions.size() - 1;
    while (index > 0 && partitions.get(index).from().compareTo(bound) > 0) {
      index--;
    }
    return index;
  }
}
