package io.tunnel.sdk.table;

import java.util.List;

/**
 * Behind which positions the changes of a table can be read.
 *
 * @param tableId of the table that has that name now, see {@link TableInfo#tableId}
 * @param partitions one for each partition
 */
public record TablePositions(int tableId, List<PartitionPositions> partitions) {

  /** Refuses null and copies the list. */
  public TablePositions {
    partitions = List.copyOf(partitions);
  }
}
