package io.tunnel.cli;

import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.ClusterLevels;
import io.tunnel.sdk.cluster.GoneNode;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.NodeStatus;
import io.tunnel.sdk.cluster.ReplicaStatus;
import io.tunnel.sdk.cluster.ReplicaStatus.Role;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Nodes in memory. One that drains gives up one partition each time that somebody looks. */
public final class FakeCluster {

  private final Map<String, NodeInfo> nodes = new TreeMap<>();
  public final Set<String> silent = new HashSet<>();
  public final List<String> orders = new ArrayList<>();

  /** The level, and the highest level of nodes whose build was not replaced yet. */
  public int level = 1;

  public final Map<String, Integer> olderNodes = new TreeMap<>();

  /** Nodes that were members. */
  public List<GoneNode> gone = List.of();

  /** Nodes that leave the cluster as soon as they drain. */
  public final Set<String> leaving = new HashSet<>();

  /** Whether nodes that drain get nowhere. */
  public boolean isStuck;

  /** Adds a node; the first one leads the catalog. */
  public void add(String name, int tunnelGroups, Integer... leads) {
    boolean isFirst = nodes.isEmpty();
    nodes.put(name, node(name, false, List.of(leads), tunnelGroups, isFirst));
  }

  private static NodeInfo node(
      String name, boolean isDraining, List<Integer> leads, int groups, boolean isCatalogLeader) {
    return new NodeInfo(
        name,
        "i-" + name,
        name + ":7650",
        isDraining,
        leads,
        List.of(9),
        groups,
        isCatalogLeader,
        2);
  }

  ClusterInfo describe() {
    ClusterInfo now = new ClusterInfo("prod", 7, "n1", List.copyOf(nodes.values()), gone, level);
    nodes.values().stream().filter(NodeInfo::isDraining).toList().forEach(this::shrink);
    return now;
  }

  private void shrink(NodeInfo node) {
    if (leaving.contains(node.name())) {
      nodes.remove(node.name());
    } else if (!isStuck) {
      List<Integer> left = node.leads();
      nodes.put(
          node.name(),
          node(node.name(), true, left.subList(Math.min(1, left.size()), left.size()), 0, false));
    }
  }

  /** By partition, how its replica on the leader does instead. */
  public final Map<Integer, ReplicaStatus> replicas = new TreeMap<>();

  /** Replicas that each node has, and does not lead. */
  public List<ReplicaStatus> standby = List.of();

  /** Every partition that a node leads is 5 behind. */
  Optional<NodeStatus> status(String name) {
    if (silent.contains(name) || !nodes.containsKey(name)) {
      return Optional.empty();
    }
    List<ReplicaStatus> told =
        nodes.get(name).leads().stream()
            .map(
                partition ->
                    replicas.getOrDefault(
                        partition, new ReplicaStatus(partition, Role.LEADING, 3, 100, 105)))
            .toList();
    List<ReplicaStatus> all = new ArrayList<>(told);
    all.addAll(standby);
    return Optional.of(new NodeStatus(name, all));
  }

  ClusterLevels levels() {
    Map<String, Integer> levelMaxByNode = new TreeMap<>();
    nodes.forEach((name, node) -> levelMaxByNode.put(name, node.levelMax()));
    levelMaxByNode.putAll(olderNodes);
    return new ClusterLevels(level, levelMaxByNode);
  }

  ClusterLevels upgrade(int to) {
    orders.add("upgrade " + to);
    level = to;
    return levels();
  }

  void drain(String name, boolean isDraining) {
    orders.add((isDraining ? "drain " : "undo ") + name);
    NodeInfo node = nodes.get(name);
    nodes.put(
        name, node(name, isDraining, node.leads(), node.tunnelGroups(), node.isCatalogLeader()));
  }
}
