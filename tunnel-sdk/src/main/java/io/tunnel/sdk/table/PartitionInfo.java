package io.tunnel.sdk.table;

import io.tunnel.model.value.PrimaryKeyValue;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A partition of a table: a range of its first key column, with an order of changes of its own.
 *
 * @param id never used again for another partition of the service
 * @param from the lowest value of the first key column; absent when the range has no lower end
 * @param to the value of the first key column behind the last one; absent when the range has no
 *     upper end
 * @param parents ids of the partitions that it was split or merged from
 * @param leader HOST:PORT of the node of a cluster that serves it; absent without a cluster, and
 *     while no node does
 * @param figures what is stored; absent where the partition was described without counting
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
