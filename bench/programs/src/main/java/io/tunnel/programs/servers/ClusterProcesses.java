package io.tunnel.programs.servers;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.cluster.ClusterInfo;
import io.tunnel.sdk.cluster.NodeInfo;
import io.tunnel.stress.LoadClock;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** A Kafka of one broker and the nodes of a cluster, each a process, all on loopback. */
public final class ClusterProcesses implements StartedServers {

  private static final String CLUSTER = "demo";
  private static final int BROKER_HEAP_MIB = 1_024;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long SETTLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(60);

  private final KafkaBroker broker;
  private final LoopbackSecurity security;
  private final Setup setup;
  private final List<ServerProcess> nodes = new ArrayList<>();

  /**
   * What a cluster is.
   *
   * @param data everything is stored below it
   * @param logs what a node prints goes to a file of its name there
   * @param nodes how many
   * @param sessionMs how long a node may be silent until others lead what it led
   * @param broker settings of the broker, by their names in Kafka
   * @param arguments of each node, beside those that make it a node
   */
  public record Setup(
      Path data,
      Path logs,
      int nodes,
      int sessionMs,
      Map<String, String> broker,
      List<String> arguments) {

    /** Takes copies. */
    public Setup {
      broker = Map.copyOf(broker);
      arguments = List.copyOf(arguments);
    }
  }

  private ClusterProcesses(KafkaBroker broker, Setup setup, LoopbackSecurity security) {
    this.broker = broker;
    this.setup = setup;
    this.security = security;
  }

  /** Starts all and returns when the nodes have shared out what there is to lead. */
  public static ClusterProcesses start(
      String mainClass, Setup setup, LoopbackSecurity security, LoadClock clock)
      throws IOException, InterruptedException {
    Path kafka = setup.data().resolve("kafka");
    ClusterProcesses cluster =
        new ClusterProcesses(
            KafkaBroker.start(kafka, setup.broker(), BROKER_HEAP_MIB), setup, security);
    try {
      for (int i = 1; i <= setup.nodes(); i++) {
        cluster.startNode(mainClass, "n" + i);
      }
      cluster.awaitShared(clock);
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void startNode(String mainClass, String name) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(security.arguments());
    arguments.addAll(
        List.of(
            "--log",
            "kafka",
            "--bootstrap",
            broker.bootstrap(),
            "--cluster",
            CLUSTER,
            "--node",
            name,
            "--replication",
            "1",
            "--session-ms",
            String.valueOf(setup.sessionMs())));
    arguments.addAll(setup.arguments());
    Path data = setup.data().resolve(name);
    nodes.add(
        ServerProcess.startNode(mainClass, data, setup.logs().resolve(name + ".log"), arguments));
  }

  /** Until then leadership moves, and a first write would only wait for it. */
  private void awaitShared(LoadClock clock) {
    long startNanos = clock.nanos();
    try (ClusterClient client =
        new ClusterClient(ClientConfig.of(security.forAdministrator(endpoint())))) {
      String seen = look(client);
      while (!seen.isEmpty()) {
        if (clock.nanos() - startNanos > SETTLE_NANOS_MAX) {
          throw new CommandFailure(ExitCode.UNAVAILABLE, "the nodes do not come together: " + seen);
        }
        clock.waitUntil(clock.nanos() + LOOK_NANOS, () -> false);
        seen = look(client);
      }
    }
  }

  /** What is missing; empty when every node does its part. */
  private String look(ClusterClient client) {
    try {
      ClusterInfo cluster = client.describeCluster();
      boolean isShared =
          cluster.nodes().size() == nodes.size()
              && cluster.nodes().stream().allMatch(node -> node.tunnelGroups() > 0)
              && cluster.nodes().stream().anyMatch(NodeInfo::isCatalogLeader);
      return isShared ? "" : "there are " + cluster.nodes();
    } catch (RefusedException | ConnectionException e) {
      return e.getMessage();
    }
  }

  @Override
  public String endpoint() {
    return nodes.stream().map(ServerProcess::endpoint).collect(Collectors.joining(","));
  }

  /** Names the nodes' processes. */
  public List<Long> pids() {
    return nodes.stream().map(ServerProcess::pid).toList();
  }

  @Override
  public String httpAddress() {
    return nodes.get(0).httpAddress();
  }

  /** The broker's too: it does what the server's own log does otherwise. */
  @Override
  public long cpuNanos() {
    return broker.cpuNanos() + nodes.stream().mapToLong(ServerProcess::cpuNanos).sum();
  }

  @Override
  public long residentBytes() {
    return nodes.stream().mapToLong(ServerProcess::residentBytes).sum();
  }

  /** Nodes first: they tell the broker that they leave. */
  @Override
  public void close() {
    try {
      nodes.forEach(ServerProcess::close);
    } finally {
      broker.close();
    }
  }
}
