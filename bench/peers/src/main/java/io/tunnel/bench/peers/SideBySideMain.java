package io.tunnel.bench.peers;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.children.Secured;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.children.Watchdog;
import io.tunnel.cli.log.Logging;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.Durability;
import io.tunnel.programs.bench.beside.BesideOptions;
import io.tunnel.programs.bench.beside.BesidePlan;
import io.tunnel.programs.bench.beside.Part;
import io.tunnel.programs.bench.beside.PeersSetup;
import io.tunnel.programs.bench.beside.RoundsReport;
import io.tunnel.programs.bench.beside.SideBySide;
import io.tunnel.programs.bench.beside.Stage;
import io.tunnel.programs.bench.kafka.KafkaPeer;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.RowLoad;
import io.tunnel.programs.bench.peer.RowPlan;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.bench.peer.TunnelPeer.Servers;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import io.tunnel.terminal.CommandRunner;
import io.tunnel.terminal.Diagnosis;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "side-by-side",
    mixinStandardHelpOptions = true,
    description =
        "What 'tunnel bench peers' measures, with clusters of several nodes, or with TLS on both"
            + " sides.")
public final class SideBySideMain implements Callable<Integer> {

  @Mixin private SideBySideOptions options;
  @Mixin private BesideOptions beside;

  private SideBySideMain() {}

  /** Runs the benchmark; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new SideBySideMain());
    line.setExecutionStrategy(new Logging(System.getenv()));
    System.exit(CommandRunner.run(line, Diagnosis.standard(), args));
  }

  @Override
  public Integer call() throws Exception {
    BesidePlan plan = beside.plan(Set.of(Part.WRITE, Part.READ, Part.LATENCY));
    options.require();
    LoadClock clock = new SystemClock();
    Watchdog.endIn(beside.minutesMax(), clock);
    try (Children children = new Children(options.dir);
        KafkaBroker broker =
            KafkaService.startBroker(
                children.directory().resolve("kafka"),
                options.secured().broker(children.directory().resolve("broker.pem")))) {
      TunnelServerChild server =
          TunnelServerChild.start(children, clock, options.secured().server());
      if (options.nodes.isEmpty()) {
        besideServer(plan, clock, broker, server);
      } else {
        besideClusters(plan, clock, broker, server, clusters(children, clock, broker));
      }
    }
    return 0;
  }

  private void besideServer(
      BesidePlan plan, LoadClock clock, KafkaBroker broker, TunnelServerChild server)
      throws Exception {
    Secured secured = options.secured();
    KafkaService theirs = KafkaService.of(broker, secured.kafkaClient());
    Servers ours = Servers.one(secured.endpoint(server.endpoint()), server::cpuNanos);
    try (KafkaPeer kafka = new KafkaPeer(theirs, plan.batches(), PeersSetup.ACKS);
        TunnelPeer os = new TunnelPeer("tunnel os", ours, Durability.OS, plan.batches());
        TunnelPeer fsync = new TunnelPeer("tunnel fsync", ours, Durability.FSYNC, plan.batches())) {
      measure(plan, clock, List.of(kafka, os, fsync), List.of(kafka, os));
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

  /** All sides give the guarantee of a cluster: the loss of a broker loses no replicated row. */
  private void besideClusters(
      BesidePlan plan,
      LoadClock clock,
      KafkaBroker broker,
      TunnelServerChild server,
      List<ClusterChildren> clusters)
      throws Exception {
    try (KafkaPeer kafka = new KafkaPeer(KafkaService.of(broker), plan.batches(), "all");
        TunnelPeer embedded =
            new TunnelPeer(
                "embedded",
                Servers.one(server.endpoint(), server::cpuNanos),
                Durability.OS,
                plan.batches())) {
      List<Peer> peers = new ArrayList<>(List.of(kafka, embedded));
      for (ClusterChildren cluster : clusters) {
        String name = cluster.names().size() + " on kafka";
        // Their connections end with this process.
        peers.add(new TunnelPeer(name, servers(cluster), Durability.OS, plan.batches()));
      }
      measure(plan, clock, peers, peers);
    }
  }

  /** Ratios are to the first. */
  private void measure(
      BesidePlan plan, LoadClock clock, List<? extends Peer> writers, List<? extends Peer> readers)
      throws Exception {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    RoundsReport results = new RoundsReport(writers.get(0).name(), out);
    Stage stage =
        new Stage(
            new RowLoad(
                options.writers, options.roundSecondsMax, RowPlan.DEFAULT, Progress.NONE, clock),
            options.roundSecondsMax,
            Stage.Deadline.in(beside.minutesMax(), clock),
            Progress.NONE,
            clock);
    SideBySide tests = new SideBySide(plan, stage, results::print);
    out.printf(
        Locale.ROOT,
        "making rows and throwing them away: %.3f us of client CPU per row%n",
        tests.makingMicrosPerRow(writers.get(0)));
    results.printJson(
        options.asMap(plan),
        tests.run(options.partitions, new SideBySide.Peers(writers, List.of(), readers)));
  }
}
