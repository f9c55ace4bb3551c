package io.tunnel.sdk.table;

import io.tunnel.model.TableMeta;
import java.util.List;
import java.util.Objects;

/**
 * A table with its partitions.
 *
 * @param tableId identifies the table for good: a new table with the name of a dropped table has
 *     another id
 * @param meta name, key and options
 * @param createdMs when it was created, in milliseconds since 1970
 * @param partitions the partitions in the order of their keys, without gaps; 1 to {@link
 *     io.tunnel.model.Limits#TABLE_PARTITIONS_MAX}
 */
public record TableInfo(
    int tableId, TableMeta meta, long createdMs, List<PartitionInfo> partitions) {

  /** Refuses null and copies the list. */
  public TableInfo {
    Objects.requireNonNull(meta, "meta");
    partitions = List.copyOf(partitions);
  }
}
