package io.tunnel.server.partition;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.cluster.ClusterView;

/**
 * The partitions that a node of a cluster hosts; a refusal for any other partition names the leader
 * of the partition.
 */
public record RoutedHosts(PartitionHosts hosts, ClusterView view) implements PartitionHosts {

  @Override
  public PartitionHost of(int partition) {
    try {
      return hosts.of(partition);
    } catch (RefusedException e) {
      throw e.code() == ErrorCode.NOT_LEADER && e.leader().isEmpty()
          ? view.notLeader(partition, "partition " + partition)
          : e;
    }
  }
}
