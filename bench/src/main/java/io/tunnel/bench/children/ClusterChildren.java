package io.tunnel.bench.children;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Nodes of one cluster, each a process, on a Kafka broker that others may use too. */
public final class ClusterChildren {

  private static final long SHARE_SECONDS_MAX = 60;
  private static final int SESSION_MS = 3_000;

  private final Children children;
  private final LoadClock clock;
  private final KafkaBroker broker;
  private final String cluster;
  private final Map<String, TunnelServerChild> nodes = new TreeMap<>();
  private long endedCpuNanos;

  private ClusterChildren(Children children, LoadClock clock, KafkaBroker broker, String cluster) {
    this.children = children;
    this.clock = clock;
    this.broker = broker;
    this.cluster = cluster;
  }

  /** Starts nodes and returns when they have shared out what there is to lead. */
  public static ClusterChildren start(
      Children children, LoadClock clock, KafkaBroker broker, String cluster, int count)
      throws IOException {
    ClusterChildren started = new ClusterChildren(children, clock, broker, cluster);
    for (int i = 1; i <= count; i++) {
      started.startNode("n" + i);
    }
    started.awaitShared();
    return started;
  }

  /** Starts a node for the first time, or again. */
  public void startNode(String name) throws IOException {
    List<String> options =
        List.of(
            "--log",
            "kafka",
            "--bootstrap",
            broker.bootstrap(),
            "--cluster",
            cluster,
            "--node",
            name,
            "--replication",
            "1",
            "--session-ms",
            Integer.toString(SESSION_MS));
    nodes.put(name, TunnelServerChild.start(children, clock, cluster + "-" + name, options));
  }

  /** Returns when every node that was started leads something. */
  public void awaitShared() {
    long deadlineNanos = clock.nanos() + TimeUnit.SECONDS.toNanos(SHARE_SECONDS_MAX);
    try (ClusterClient client = new ClusterClient(ClientConfig.of(endpoint()))) {
      while (!isShared(client)) {
        if (clock.nanos() - deadlineNanos > 0) {
          throw new IllegalStateException("the nodes do not come together");
        }
        clock.waitUntil(clock.nanos() + TimeUnit.MILLISECONDS.toNanos(50), () -> false);
      }
    }
  }

  private boolean isShared(ClusterClient client) {
    try {
      ClusterInfo seen = client.describeCluster();
      return seen.nodes().size() == nodes.size()
          && seen.nodes().stream().allMatch(node -> node.tunnelGroups() > 0)
          && seen.nodes().stream().anyMatch(node -> node.isCatalogLeader());
    } catch (RuntimeException notYet) {
      return false;
    }
  }

  /** The names of the nodes that run. */
  public List<String> names() {
    return new ArrayList<>(nodes.keySet());
  }

  /** A node that runs. */
  public TunnelServerChild node(String name) {
    return nodes.get(name);
  }

  /** Where what a node prints goes. */
  public Path log(String name) {
    return children.log(cluster + "-" + name);
  }

  /** Ends a node from one moment to the next. */
  public void kill(String name) {
    TunnelServerChild node = nodes.remove(name);
    endedCpuNanos += node.cpuNanos();
    node.kill();
  }

  /** Where clients connect: all nodes that run. */
  public String endpoint() {
    return nodes.values().stream()
        .map(TunnelServerChild::endpoint)
        .collect(Collectors.joining(","));
  }

  /** Processor time that all nodes have used. */
  public long cpuNanos() {
    return endedCpuNanos + nodes.values().stream().mapToLong(TunnelServerChild::cpuNanos).sum();
  }

  /** Processor time that the broker has used. */
  public long brokerCpuNanos() {
    return broker.cpuNanos();
  }
}
