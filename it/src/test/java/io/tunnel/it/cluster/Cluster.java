package io.tunnel.it.cluster;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.process.Build;
import io.tunnel.it.process.KafkaProcess;
import io.tunnel.it.process.NodeProcess;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.FrameKind;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.ClusterControl.ClusterDescription;
import io.tunnel.wire.control.ClusterControl.DescribeNode;
import io.tunnel.wire.control.ClusterControl.DrainNode;
import io.tunnel.wire.control.ClusterControl.NodeDescription;
import io.tunnel.wire.control.ClusterControl.NodePart;
import io.tunnel.wire.control.ClusterControl.NodeStatus;
import io.tunnel.wire.control.ClusterControl.ReplicaStatus;
import io.tunnel.wire.control.ClusterControl.Upgrade;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Json;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A real Kafka and some nodes, each a process, on the loopback address. */
public final class Cluster implements Service {

  /** How long a cluster of a loaded machine may take to come to rest. */
  public static final Duration REST = Duration.ofMinutes(4);

  private static final int TUNNEL_GROUPS = 16;
  private static final int STANDBYS = 1;

  /** A node that is silent for this time is replaced. */
  static final int SESSION_MS = 2_500;

  private final KafkaProcess kafka;
  private final List<String> options;
  private final List<NodeProcess> nodes = new ArrayList<>();

  /** A broker, and nodes that are not started. */
  public Cluster(Stage stage, int nodesMax) {
    this(stage, nodesMax, 1);
  }

  /** Brokers that each have a copy of all partitions, and nodes that are not started. */
  public Cluster(Stage stage, int nodesMax, int brokers) {
    kafka = new KafkaProcess(stage, nodesMax, brokers);
    options = options(brokers);
    for (int i = 0; i < nodesMax; i++) {
      String name = "node" + i;
      nodes.add(new NodeProcess(stage, name, stage.path(name), kafka.road(i), options));
    }
  }

  /** A node that is not started, and that {@link #node} does not know. */
  NodeProcess stranger(Stage stage, String name, Path data) {
    return new NodeProcess(stage, name, data, kafka.road(0), options);
  }

  private static List<String> options(int brokers) {
    List<String> options = new ArrayList<>(List.of("--cluster", "it", "--standbys", "" + STANDBYS));
    int inSync = Math.max(1, brokers - 1);
    options.addAll(List.of("--replication", "" + brokers, "--min-insync", "" + inSync));
    options.addAll(List.of("--session-ms", "" + SESSION_MS));
    return List.copyOf(options);
  }

  /** All nodes have the code and the level of a build when they start next. */
  Cluster of(Build build) {
    nodes.forEach(node -> node.of(build));
    return this;
  }

  /** Starts the first {@code count} nodes and waits until the nodes share all partitions. */
  public Cluster start(int count) {
    List<NodeProcess> first = nodes.subList(0, count);
    first.forEach(NodeProcess::begin);
    first.forEach(NodeProcess::awaitReady);
    awaitWhole();
    return this;
  }

  KafkaProcess kafka() {
    return kafka;
  }

  public NodeProcess node(int number) {
    return nodes.get(number);
  }

  /** Those whose process lives. */
  List<NodeProcess> running() {
    return nodes.stream().filter(NodeProcess::isAlive).toList();
  }

  /** Those whose process lives, but for one. */
  List<NodeProcess> others(NodeProcess node) {
    return running().stream().filter(each -> each != node).toList();
  }

  /** Addresses of all nodes, also of nodes that were never started. */
  @Override
  public String endpoint() {
    return nodes.stream().map(NodeProcess::endpoint).collect(Collectors.joining(","));
  }

  /** They leave a node that stands still soon, and try the others until one answers. */
  @Override
  public ClientConfig client() {
    return ClientConfig.of(endpoint())
        .withConnectDeadline(Duration.ofSeconds(2))
        .withRequestDeadline(Duration.ofSeconds(4))
        .withRetryDeadline(Poll.LONG)
        .withWriteRetryDeadline(Poll.LONG);
  }

  /** What a node says of the cluster, asked behind its proxy. */
  public static ClusterDescription seenBy(NodeProcess node) {
    return ask(node, Operation.DESCRIBE_CLUSTER, new Control.Empty(), ClusterDescription.class);
  }

  /** What a node says of its replicas. */
  static NodeStatus statusOf(NodeProcess node) {
    return ask(
        node, Operation.DESCRIBE_NODE, new DescribeNode(NodePart.REPLICAS), NodeStatus.class);
  }

  /** Asks a node to give up all partitions, or to take part again. */
  static void drain(NodeProcess node, boolean isDraining) {
    var unused = ask(node, Operation.DRAIN_NODE, new DrainNode(isDraining), Control.Empty.class);
  }

  /** Asks a node to raise the level; the refusal, or empty when the level is as high. */
  static Optional<ErrorPayload> raise(NodeProcess node, int level) {
    try (RawClient client = RawClient.greeted(node.directPort())) {
      Frame answer =
          client.ask(Operation.UPGRADE.code(), Json.encode(new Upgrade(Optional.of(level))));
      return answer.kind() == FrameKind.ERROR
          ? Optional.of(RawClient.errorOf(answer))
          : Optional.empty();
    }
  }

  private static <T extends Control> T ask(
      NodeProcess node, Operation operation, Control request, Class<T> type) {
    try (RawClient client = RawClient.greeted(node.directPort())) {
      return client.request(operation, request, type);
    }
  }

  /** Partitions that {@code node} leads, as {@code witness} sees it. */
  static Set<Integer> ledBy(NodeProcess node, NodeProcess witness) {
    return seenBy(witness).nodes().stream()
        .filter(each -> each.name().equals(node.name()))
        .flatMap(each -> each.leads().stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The node that leads a partition. */
  NodeProcess leaderOf(int partition) {
    return running().stream()
        .filter(node -> ledBy(node, node).contains(partition))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nobody leads " + partition));
  }

  /** The node that leads the catalog. */
  public NodeProcess catalogLeader() {
    return running().stream()
        .filter(
            node ->
                seenBy(node).nodes().stream()
                    .anyMatch(each -> each.name().equals(node.name()) && each.isCatalogLeader()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nobody leads the catalog"));
  }

  /**
   * Waits until the nodes other than {@code lost} lead everything that it led, and really do: each
   * has read its own marker.
   */
  void awaitReplaced(NodeProcess lost) {
    awaitRest(others(lost));
  }

  /** Waits until the running nodes share all partitions, and every copy is warm. */
  public void awaitWhole() {
    awaitRest(running());
  }

  private static void awaitRest(List<NodeProcess> members) {
    List<String> missing = new ArrayList<>();
    Poll.until(
        REST,
        () -> {
          missing.clear();
          missing.addAll(missingIn(members));
          return missing.isEmpty();
        },
        () -> String.join("; ", missing));
  }

  private static List<String> missingIn(List<NodeProcess> members) {
    List<ClusterDescription> views;
    List<NodeStatus> statuses;
    try {
      views = members.stream().map(Cluster::seenBy).toList();
      statuses = members.stream().map(Cluster::statusOf).toList();
    } catch (UncheckedIOException e) {
      return List.of("a node that does not answer: " + e.getMessage());
    }
    ClusterDescription view = views.get(0);
    List<String> missing = new ArrayList<>();
    List<String> names = members.stream().map(NodeProcess::name).sorted().toList();
    for (ClusterDescription each : views) {
      List<String> seen = each.nodes().stream().map(NodeDescription::name).sorted().toList();
      if (!seen.equals(names) || each.generation() != view.generation()) {
        missing.add(each.node() + " knows " + seen + " in generation " + each.generation());
      }
    }
    if (missing.isEmpty()) {
      missing.addAll(unshared(view, partitions(members.get(0))));
      missing.addAll(cold(view, statuses));
    }
    return missing;
  }

  private static Set<Integer> partitions(NodeProcess node) {
    try (RawClient client = RawClient.greeted(node.directPort())) {
      Set<Integer> all = new TreeSet<>();
      Control.TableList tables =
          client.request(Operation.LIST_TABLES, new Control.Empty(), Control.TableList.class);
      for (String table : tables.tables()) {
        Control.TableDescription map =
            client.request(
                Operation.PARTITION_MAP,
                new Control.TableName(table),
                Control.TableDescription.class);
        map.partitions().forEach(partition -> all.add(partition.id()));
      }
      return all;
    }
  }

  /** What nobody, or more than one, has been given, and nodes with more than their share. */
  private static List<String> unshared(ClusterDescription view, Set<Integer> partitions) {
    List<String> missing = new ArrayList<>();
    List<NodeDescription> takers = view.nodes().stream().filter(n -> !n.isDraining()).toList();
    List<Integer> led = new ArrayList<>();
    List<Integer> copied = new ArrayList<>();
    view.nodes().forEach(node -> led.addAll(node.leads()));
    view.nodes().forEach(node -> copied.addAll(node.standbys()));
    Collections.sort(led);
    if (!led.equals(List.copyOf(partitions))) {
      missing.add("led are " + led + " of " + partitions);
    }
    int standbys = Math.min(STANDBYS, takers.size() - 1);
    for (int partition : partitions) {
      if (Collections.frequency(copied, partition) != standbys) {
        missing.add(Collections.frequency(copied, partition) + " standbys of " + partition);
      }
    }
    IntStream counts = takers.stream().mapToInt(node -> node.leads().size());
    var spread = counts.summaryStatistics();
    if (spread.getMax() - spread.getMin() > 1) {
      missing.add("led are " + spread);
    }
    if (view.nodes().stream().mapToInt(NodeDescription::tunnelGroups).sum() != TUNNEL_GROUPS) {
      missing.add("tunnel groups that nobody leads");
    }
    if (view.nodes().stream().filter(NodeDescription::isCatalogLeader).count() != 1) {
      missing.add("no leader of the catalog");
    }
    return missing;
  }

  /** Replicas that do not play the role of the placement. */
  private static List<String> cold(ClusterDescription view, List<NodeStatus> statuses) {
    List<String> missing = new ArrayList<>();
    for (NodeDescription node : view.nodes()) {
      List<ReplicaStatus> replicas =
          statuses.stream()
              .filter(status -> status.name().equals(node.name()))
              .flatMap(status -> status.replicas().stream())
              .sorted(Comparator.comparing(ReplicaStatus::partition))
              .toList();
      missing.addAll(unlike(node.name(), node.leads(), replicas, c -> c.role().equals("LEADING")));
      missing.addAll(
          unlike(node.name(), node.standbys(), replicas, c -> c.role().equals("FOLLOWING")));
    }
    return missing;
  }

  private static List<String> unlike(
      String node,
      List<Integer> partitions,
      List<ReplicaStatus> replicas,
      Predicate<ReplicaStatus> isSo) {
    Set<Integer> fine =
        replicas.stream().filter(isSo).map(ReplicaStatus::partition).collect(Collectors.toSet());
    return partitions.stream()
        .filter(partition -> !fine.contains(partition))
        .map(partition -> node + " has of " + partition + " only " + replicas)
        .toList();
  }

  /** Undoes what tests do to the network and the processes of the first so many nodes. */
  void mend(int count) {
    for (NodeProcess node : nodes.subList(0, count)) {
      node.toKafka().resume();
      node.toClients().resume();
      if (!node.isAlive()) {
        node.begin();
        node.awaitReady();
      }
    }
    awaitWhole();
  }
}
