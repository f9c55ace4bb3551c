package io.tunnel.sdk.table;

import java.util.List;

/**
 * The positions behind which the changes of a table can be read.
 *
 * @param tableId the id of the table that has the name now, see {@link TableInfo#tableId}
 * @param partitions one element per partition
 * @param serverMs the clock of the server that answered, in milliseconds since 1970
 */
public record TablePositions(int tableId, List<PartitionPositions> partitions, long serverMs) {

  /** Refuses null and copies the list. */
  public TablePositions {
    partitions = List.copyOf(partitions);
  }
}
