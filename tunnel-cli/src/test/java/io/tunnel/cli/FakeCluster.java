package io.tunnel.cli;

import io.tunnel.wire.ClusterControl.ClusterDescription;
import io.tunnel.wire.ClusterControl.CopyStatus;
import io.tunnel.wire.ClusterControl.NodeDescription;
import io.tunnel.wire.ClusterControl.NodeStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Nodes in memory. One that drains gives up one partition each time that somebody looks. */
public final class FakeCluster {

  private final Map<String, NodeDescription> nodes = new TreeMap<>();
  public final Set<String> silent = new HashSet<>();
  public final List<String> orders = new ArrayList<>();

  /** Nodes that leave the cluster as soon as they drain. */
  public final Set<String> leaving = new HashSet<>();

  /** Whether nodes that drain get nowhere. */
  public boolean isStuck;

  /** Adds a node; the first one leads the catalog. */
  public void add(String name, int tunnelGroups, Integer... leads) {
    boolean isFirst = nodes.isEmpty();
    nodes.put(name, node(name, false, List.of(leads), tunnelGroups, isFirst));
  }

  private static NodeDescription node(
      String name, boolean isDraining, List<Integer> leads, int groups, boolean isCatalogLeader) {
    return new NodeDescription(
        name, "i-" + name, name + ":7650", isDraining, leads, List.of(9), groups, isCatalogLeader);
  }

  ClusterDescription describe() {
    ClusterDescription now = new ClusterDescription("prod", 7, "n1", List.copyOf(nodes.values()));
    nodes.values().stream().filter(NodeDescription::isDraining).toList().forEach(this::shrink);
    return now;
  }

  private void shrink(NodeDescription node) {
    if (leaving.contains(node.name())) {
      nodes.remove(node.name());
    } else if (!isStuck) {
      List<Integer> left = node.leads();
      nodes.put(
          node.name(),
          node(node.name(), true, left.subList(Math.min(1, left.size()), left.size()), 0, false));
    }
  }

  /** Every partition that a node leads is 5 behind, because it is being claimed. */
  Optional<NodeStatus> status(String name) {
    if (silent.contains(name) || !nodes.containsKey(name)) {
      return Optional.empty();
    }
    List<CopyStatus> copies =
        nodes.get(name).leads().stream()
            .map(partition -> new CopyStatus(partition, "CLAIMING", 3, 100, 105))
            .toList();
    return Optional.of(new NodeStatus(name, copies));
  }

  void drain(String name, boolean isDraining) {
    orders.add((isDraining ? "drain " : "undo ") + name);
    NodeDescription node = nodes.get(name);
    nodes.put(
        name, node(name, isDraining, node.leads(), node.tunnelGroups(), node.isCatalogLeader()));
  }
}
