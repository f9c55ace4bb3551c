package io.tunnel.server.catalog;

import io.tunnel.codec.KeyCodec;
import io.tunnel.model.Bytes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import java.util.List;

/**
 * A table with its partitions in key order; together they cover every key once.
 *
 * @param tableId at least 1; never used again
 */
public record TableRecord(
    int tableId, TableMeta meta, long createdMs, List<PartitionRecord> partitions) {

  /** Copies the list. */
  public TableRecord {
    partitions = List.copyOf(partitions);
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
   * a whole column.
   */
  public int indexOf(Bytes bound) {
    int index = partitions.size() - 1;
    while (index > 0 && partitions.get(index).from().compareTo(bound) > 0) {
      index--;
    }
    return index;
  }
}
