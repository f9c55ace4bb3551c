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
 * @param differences in the answer of {@link io.tunnel.sdk.TableClient#createTableIfAbsent}: how
 *     the existing table differs from the request; empty otherwise
 */
public record TableInfo(
    int tableId,
    TableMeta meta,
    long createdMs,
    List<PartitionInfo> partitions,
    List<TableDifference> differences) {

  /** Refuses null and copies the lists. */
  public TableInfo {
    Objects.requireNonNull(meta, "meta");
    partitions = List.copyOf(partitions);
    differences = List.copyOf(differences);
  }

  /** A table that is compared with no request. */
  public TableInfo(int tableId, TableMeta meta, long createdMs, List<PartitionInfo> partitions) {
    this(tableId, meta, createdMs, partitions, List.of());
  }

  /** A copy that says how the table differs from {@code request}. */
  public TableInfo comparedWith(CreateTableRequest request) {
    return new TableInfo(
        tableId, meta, createdMs, partitions, TableDifference.between(request, this));
  }
}
