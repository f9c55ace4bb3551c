package io.tunnel.bench.peers;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.children.Secured;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.children.Watchdog;
import io.tunnel.cli.bench.peer.Peer;
import io.tunnel.cli.bench.peer.TunnelPeer;
import io.tunnel.cli.bench.peer.TunnelPeer.Servers;
import io.tunnel.cli.log.Logging;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.Durability;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "side-by-side",
    mixinStandardHelpOptions = true,
    showDefaultValues = false,
    description = "Measures our server beside Apache Kafka, each in a process of its own.")
public final class SideBySideMain implements Callable<Integer> {

  /** What the broker's own start script gives it. */
  private static final int BROKER_HEAP_MIB = 1024;

  @Mixin private SideBySideOptions options;

  private SideBySideMain() {}

  /** Runs the benchmark; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new SideBySideMain());
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExecutionStrategy(new Logging(System.getenv()));
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    options.require();
    LoadClock clock = new SystemClock();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Watchdog.endIn(options.minutesMax, clock);
    try (Children children = new Children(options.dir);
        KafkaBroker broker =
            ClusterChildren.startBroker(
                children,
                BROKER_HEAP_MIB,
                options.secured().broker(children.directory().resolve("broker.pem")))) {
      SideBySide tests = new SideBySide(options, clock, out);
      TunnelServerChild server =
          TunnelServerChild.start(children, clock, options.secured().server());
      if (options.nodes.isEmpty()) {
        besideServer(tests, broker, server);
      } else {
        besideClusters(tests, broker, server, clusters(children, clock, broker));
      }
    }
    return 0;
  }

  private void besideServer(SideBySide tests, KafkaBroker broker, TunnelServerChild server)
      throws Exception {
    Secured secured = options.secured();
    Servers ours = Servers.one(secured.endpoint(server.endpoint()), server::cpuNanos);
    try (KafkaPeer kafka = new KafkaPeer(broker, options.batches(), "1", secured.kafkaClient());
        TunnelPeer os = new TunnelPeer("tunnel os", ours, Durability.OS, options.batches());
        TunnelPeer fsync =
            new TunnelPeer("tunnel fsync", ours, Durability.FSYNC, options.batches())) {
      tests.run(List.of(kafka, os, fsync), List.of(kafka, os));
    }
  }

  private static Servers servers(ClusterChildren cluster) {
    return new Servers(
        cluster.endpoint(), cluster::cpuNanos, cluster::brokerCpuNanos, cluster.names().size() + 1);
  }

  private List<ClusterChildren> clusters(Children children, LoadClock clock, KafkaBroker broker)
      throws IOException {
    List<ClusterChildren> clusters = new ArrayList<>();
    for (int nodes : options.nodes) {
      clusters.add(ClusterChildren.start(children, clock, broker, "of" + nodes, nodes));
    }
    return clusters;
  }

  /** All promise what a cluster does: a broker that is lost loses nothing that others have. */
  private void besideClusters(
      SideBySide tests,
      KafkaBroker broker,
      TunnelServerChild server,
      List<ClusterChildren> clusters)
      throws Exception {
    try (KafkaPeer kafka = new KafkaPeer(broker, options.batches(), "all");
        TunnelPeer embedded =
            new TunnelPeer(
                "embedded",
                Servers.one(server.endpoint(), server::cpuNanos),
                Durability.OS,
                options.batches())) {
      List<Peer> peers = new ArrayList<>(List.of(kafka, embedded));
      for (ClusterChildren cluster : clusters) {
        String name = cluster.names().size() + " on kafka";
        // Their connections end with this process.
        peers.add(new TunnelPeer(name, servers(cluster), Durability.OS, options.batches()));
      }
      tests.run(peers, peers);
    }
  }
}
