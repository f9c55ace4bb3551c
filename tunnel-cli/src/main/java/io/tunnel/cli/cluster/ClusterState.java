package io.tunnel.cli.cluster;

import io.tunnel.cli.service.Service;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.sdk.cluster.ReplicaStatus.Role;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * A cluster at one moment: the placement, and the report of each node about its work.
 *
 * @param nodes in the order of the description
 */
record ClusterState(ClusterInfo description, List<Node> nodes) {

  private static final Set<Role> LEADS_NOTHING =
      EnumSet.of(Role.FOLLOWING, Role.FAILED, Role.OUTDATED);

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

    /** Positions that all its replicas are behind; empty where the lag of a replica is unknown. */
    OptionalLong lag() {
      List<Long> lags =
          status.stream()
              .flatMap(said -> said.replicas().stream())
              .map(ReplicaStatus::lag)
              .toList();
      return status.isEmpty() || lags.stream().anyMatch(lag -> lag < 0)
          ? OptionalLong.empty()
          : OptionalLong.of(lags.stream().mapToLong(lag -> lag).sum());
    }

    /**
     * Partitions that the node is to lead and does not lead now, in rising order; empty when the
     * node does not answer.
     */
    List<Integer> notLed() {
      Set<Integer> open = new TreeSet<>(description.leads());
      status.ifPresent(
          said ->
              said.replicas().stream()
                  .filter(replica -> replica.role() == Role.LEADING)
                  .forEach(replica -> open.remove(replica.partition())));
      return status.isPresent() ? List.copyOf(open) : List.of();
    }

    /** The replica of a partition on the node. */
    Optional<ReplicaStatus> replica(int partition) {
      return status.stream()
          .flatMap(said -> said.replicas().stream())
          .filter(replica -> replica.partition() == partition)
          .findFirst();
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
