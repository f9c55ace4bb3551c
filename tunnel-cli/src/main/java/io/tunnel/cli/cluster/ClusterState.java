package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.ReplicaStatus;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A cluster at one moment: the placement, and the report of each node about its work.
 *
 * @param nodes in the order of the description
 */
record ClusterState(ClusterInfo description, List<Node> nodes) {

  private static final Set<ReplicaStatus.Role> LEADS_NOTHING =
      EnumSet.of(ReplicaStatus.Role.FOLLOWING, ReplicaStatus.Role.FAILED);

  ClusterState {
    nodes = List.copyOf(nodes);
  }

  /**
   * A node.
   *
   * @param status what it says itself; empty when it does not answer
   */
  record Node(NodeInfo description, Optional<NodeStatus> status) {

    String name() {
      return description.name();
    }

    /** Positions that all its replicas are behind. */
    long lag() {
      return status.stream()
          .flatMap(said -> said.replicas().stream())
          .mapToLong(ReplicaStatus::lag)
          .sum();
    }

    /** Partitions that it is to lead, or leads still although others are to. */
    int partitionsLed() {
      long reallyLed =
          status.stream()
              .flatMap(said -> said.replicas().stream())
              .filter(replica -> !LEADS_NOTHING.contains(replica.role()))
              .count();
      return (int) Math.max(reallyLed, description.leads().size());
    }

    /** Whether nothing stops when it does. */
    boolean isEmpty() {
      return partitionsLed() == 0
          && description.tunnelGroups() == 0
          && !description.isCatalogLeader();
    }
  }

  /** Asks one node for the cluster, and then each node for its own status. */
  static ClusterState of(Service service) {
    ClusterInfo description = service.describeCluster();
    List<Node> nodes = new ArrayList<>();
    for (NodeInfo node : description.nodes()) {
      nodes.add(new Node(node, service.nodeStatus(node)));
    }
    return new ClusterState(description, nodes);
  }

  Optional<Node> node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }
}
