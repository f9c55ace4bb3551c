package io.tunnel.sdk.table;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A partition of a table: a range of the first key column, whose changes have one order.
 *
 * @param id the id; the service never reuses it
 * @param from the lowest value of the first key column; absent when the range has no lower end
 * @param to the end of the range, exclusive; absent when the range has no upper end
 * @param parents ids of the partitions that were split or merged into this one
 * @param leader HOST:PORT of the node that serves the partition; absent without a cluster, and
 *     while no node leads
 * @param figures figures of the storage; absent when the table was described without counts
 */
public record PartitionInfo(
    int id,
    Optional<PrimaryKeyValue> from,
    Optional<PrimaryKeyValue> to,
    List<Integer> parents,
    Optional<String> leader,
    Optional<PartitionFigures> figures) {

  /** Refuses null and copies the list. */
  public PartitionInfo {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    parents = List.copyOf(parents);
    Objects.requireNonNull(leader, "leader");
    Objects.requireNonNull(figures, "figures");
  }
}
