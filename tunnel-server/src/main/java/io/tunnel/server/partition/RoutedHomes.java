package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.ClusterView;

/** The partitions of a node of a cluster; of others it says which node serves them. */
public record RoutedHomes(PartitionHomes homes, ClusterView view) implements PartitionHomes {

  @Override
  public PartitionHome of(int partition) {
    try {
      return homes.of(partition);
    } catch (RefusedException e) {
      throw e.code() == ErrorCode.NOT_LEADER && e.leader().isEmpty()
          ? view.notLeader(partition, "partition " + partition)
          : e;
    }
  }
}
