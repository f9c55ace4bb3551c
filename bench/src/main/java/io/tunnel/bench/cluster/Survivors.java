package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.sdk.cluster.ReplicaStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Nodes, each asked separately for its own state. */
final class Survivors implements AutoCloseable {

  private final FigureSetup<ClusterChildren> setup;
  private final Map<String, ClusterClient> clients = new HashMap<>();
  private final Map<String, String> endpoints = new HashMap<>();

  /** All that run but {@code victim}. */
  Survivors(FigureSetup<ClusterChildren> setup, String victim) {
    this.setup = setup;
    ClusterChildren cluster = setup.servers();
    for (String name : cluster.names()) {
      if (!name.equals(victim)) {
        String endpoint = cluster.node(name).endpoint();
        endpoints.put(name, endpoint);
        clients.put(name, new ClusterClient(endpoint));
      }
    }
  }

  /** The partitions that a node leads, as another was told. */
  List<Integer> ledBy(String name) {
    ClusterInfo seen = clients.values().iterator().next().describeCluster();
    return seen.nodes().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .map(NodeInfo::leads)
        .orElse(List.of());
  }

  /** Whether one of them has noticed that the process has ended, and said so in its log. */
  boolean haveSeenTheEndOf(String name) {
    return endpoints.keySet().stream()
        .anyMatch(survivor -> log(survivor).contains("the process of node " + name + " has ended"));
  }

  private String log(String name) {
    try {
      return Files.readString(setup.servers().log(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether all of them were told of a placement without that node. */
  boolean werePlacedWithout(String name) {
    return clients.values().stream()
        .map(ClusterClient::describeCluster)
        .noneMatch(seen -> seen.nodes().stream().anyMatch(node -> node.name().equals(name)));
  }

  /** Whether the replicas of these partitions on the nodes lead. */
  boolean lead(List<Integer> partitions) {
    Set<Integer> led = new HashSet<>();
    clients.forEach(
        (name, client) ->
            client.nodeStatus(endpoints.get(name)).replicas().stream()
                .filter(replica -> replica.role() == ReplicaStatus.Role.LEADING)
                .forEach(replica -> led.add(replica.partition())));
    return led.containsAll(partitions);
  }

  /** Whether the partitions are shared evenly among all nodes that run. */
  static boolean isEven(FigureSetup<ClusterChildren> setup, int partitions) {
    try (ClusterClient client = new ClusterClient(setup.servers().endpoint())) {
      List<NodeInfo> nodes = client.describeCluster().nodes();
      List<Integer> counts = new ArrayList<>();
      nodes.forEach(node -> counts.add(node.leads().size()));
      int least = counts.stream().min(Integer::compare).orElse(0);
      int most = counts.stream().max(Integer::compare).orElse(0);
      return nodes.size() == setup.servers().names().size()
          && counts.stream().mapToInt(Integer::intValue).sum() == partitions
          && most - least <= 1;
    }
  }

  @Override
  public void close() {
    clients.values().forEach(ClusterClient::close);
  }
}
