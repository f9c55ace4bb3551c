package io.tunnel.programs.bench;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.kafka.broker.TopicTable;
import io.tunnel.kafka.broker.TopicTables;
import io.tunnel.model.Durability;
import io.tunnel.model.Limits;
import io.tunnel.programs.bench.beside.BesideOptions;
import io.tunnel.programs.bench.beside.BesidePlan;
import io.tunnel.programs.bench.beside.Ceiling;
import io.tunnel.programs.bench.beside.Measured;
import io.tunnel.programs.bench.beside.Part;
import io.tunnel.programs.bench.beside.PeersReport;
import io.tunnel.programs.bench.beside.PeersSetup;
import io.tunnel.programs.bench.beside.PeersSetup.Side;
import io.tunnel.programs.bench.beside.SideBySide;
import io.tunnel.programs.bench.beside.Stage;
import io.tunnel.programs.bench.kafka.KafkaPeer;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.programs.bench.kafka.KafkaTablePeer;
import io.tunnel.programs.bench.peer.Peer;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.bench.report.Report;
import io.tunnel.programs.servers.ChildProcesses;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.ExitCode;
import io.tunnel.terminal.options.ServerOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tunnel bench peers}. */
@Command(
    name = "peers",
    mixinStandardHelpOptions = true,
    description =
        "Our server beside Apache Kafka, in turns, in one run: rows written and read a second, p99"
            + " from write to callback, CPU time of a row; rows written a second until they are in a"
            + " table, which Kafka Streams keeps of Kafka's; and beside the reads what a bare loopback"
            + " socket carries. Starts a Kafka broker, or uses a running one.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  tunnel bench peers",
      "  tunnel bench peers --partitions 8 --rows 2000000 --rounds 5",
      "  tunnel bench peers --partitions 8 --only write,table --durability os --json | tail -1",
      "  tunnel bench peers --kafka 127.0.0.1:9092 --out beside-our-broker"
    })
final class PeersCommand extends MeasuredCommand {

  private static final int VALUES_MAX = 32;
  private static final String ACKS = PeersSetup.ACKS;

  /** What the broker and our server have too. */
  private static final int TABLE_HEAP_MIB = 1_024;

  /** Of what an interrupted program has time for. */
  private static final Duration DROP_MAX = Duration.ofMillis(800);

  @Option(
      names = "--partitions",
      split = ",",
      paramLabel = "N",
      defaultValue = "1,8,64,128",
      description = "Partitions of tables and topics, one run each (default: ${DEFAULT-VALUE}).")
  private List<Integer> partitions;

  @Option(
      names = "--durability",
      split = ",",
      paramLabel = "DURABILITY",
      defaultValue = "os,fsync",
      description =
          "Of our tables that are written, some of os, fsync (default: both). Reads and latencies"
              + " are of tables with os, which promises what Kafka does here.")
  private List<Durability> durabilities;

  @Option(
      names = "--kafka",
      paramLabel = "HOST:PORT",
      description =
          "A broker that is there already, in the clear. The topics that are made there are deleted"
              + " at the end, and its CPU time is not known (default: a broker of this command's own,"
              + " with 1 GiB of heap).")
  private String kafka;

  @Mixin private BesideOptions beside;

  // Both from require() on.
  private BesidePlan plan;

  /** Empty where Kafka Streams is not beside this program. */
  private Optional<TopicTables> tables;

  PeersCommand() {}

  private BesidePlan planned() {
    if (beside.names(Part.TABLE) && tables.isEmpty()) {
      throw new CommandFailure(
          ExitCode.UNAVAILABLE,
          "Kafka Streams is not beside this program: run ./tunnel bench peers where the sources"
              + " are, or leave table out of --only");
    }
    Set<Part> possible = EnumSet.allOf(Part.class);
    if (tables.isEmpty()) {
      possible.remove(Part.TABLE);
    }
    return beside.plan(Set.copyOf(possible));
  }

  @Override
  void require() throws InterruptedException {
    // Not before it runs: the image has no class of these.
    tables = ServiceLoader.load(TopicTables.class).findFirst();
    plan = planned();
    if (partitions.size() > VALUES_MAX) {
      throw CommandFailure.usage(
          "--partitions takes " + VALUES_MAX + " values at most, not " + partitions.size());
    }
    for (int each : partitions) {
      BenchOptions.require("--partitions", each, 1, Limits.TABLE_PARTITIONS_MAX);
    }
    if (kafka != null && (!kafka.matches(".*:[0-9]+") || !ServerOption.isEndpoint(kafka))) {
      throw CommandFailure.usage(
          "--kafka '" + kafka + "' is not HOST:PORT, such as 127.0.0.1:9092");
    }
    if (kafka != null) {
      // Before a server is started for nothing.
      try (KafkaPeer peer = new KafkaPeer(KafkaService.at(kafka, ""), plan.batches(), ACKS)) {
        peer.requireAnswer();
      }
    }
  }

  @Override
  Report measure(Ground ground) throws Exception {
    if (kafka == null) {
      ground.say("starting a Kafka broker");
      try (KafkaBroker broker =
          KafkaService.startBroker(ground.directory().logs().resolve("kafka"))) {
        return measure(ground, KafkaService.of(broker));
      }
    }
    // Nobody else's: the process, and the moment.
    String prefix =
        "tunnel-bench-" + ProcessHandle.current().pid() + "-" + ground.clock().epochMs() + "-";
    return measure(ground, KafkaService.at(kafka, prefix));
  }

  private Report measure(Ground ground, KafkaService service) throws Exception {
    PeersSetup setup =
        new PeersSetup(
            plan,
            List.copyOf(new TreeSet<>(partitions)),
            Set.copyOf(durabilities),
            ground.options().writers(),
            Optional.ofNullable(kafka),
            version());
    try (KafkaPeer peer = new KafkaPeer(service, plan.batches(), ACKS)) {
      if (kafka != null) {
        ground.alsoLeaves(
            () -> {
              ChildProcesses.kill(); // or a member of a group comes back
              return peer.dropAll(DROP_MAX) ? "" : "; " + peer.left();
            });
      }
      if (!plan.parts().contains(Part.TABLE)) {
        return measure(ground, setup, peer, Optional.empty());
      }
      ground.say("starting Kafka Streams");
      try (TopicTable program =
          tables
              .orElseThrow()
              .start(
                  ground.directory().logs().resolve("kafka-table"),
                  service.bootstrap(),
                  TABLE_HEAP_MIB)) {
        return measure(ground, setup, peer, Optional.of(new KafkaTablePeer(peer, program)));
      }
    }
  }

  private Report measure(
      Ground ground, PeersSetup setup, KafkaPeer theirs, Optional<KafkaTablePeer> theirTable)
      throws Exception {
    Stage stage = ground.stage(beside.minutesMax());
    TunnelPeer os = ours(ground, plan, Durability.OS);
    List<TunnelPeer> written = new ArrayList<>();
    for (Durability durability : new TreeSet<>(setup.durabilities()).descendingSet()) {
      written.add(durability == Durability.OS ? os : ours(ground, plan, durability));
    }
    SideBySide tests = new SideBySide(plan, stage, (test, rounds) -> {});
    double making =
        plan.parts().contains(Part.WRITE) || plan.parts().contains(Part.TABLE)
            ? tests.makingMicrosPerRow(os)
            : Double.NaN;
    double ceiling =
        plan.parts().contains(Part.READ)
            ? new Ceiling(stage).run(ground.directory().logs(), plan.rows(), plan.rounds())
            : Double.NaN;
    SideBySide.Peers peers =
        new SideBySide.Peers(
            behind(theirs, written),
            theirTable.map(table -> behind(table, written)).orElse(List.of()),
            List.of(theirs, os));
    List<Measured> measured = new ArrayList<>();
    for (int each : setup.partitions()) {
      measured.add(new Measured(each, tests.run(each, peers), ceiling));
    }
    return PeersReport.of(setup, making, ceiling, measured);
  }

  private static <P extends Peer> List<P> behind(P first, List<? extends P> others) {
    List<P> all = new ArrayList<>();
    all.add(first);
    all.addAll(others);
    return all;
  }

  private static TunnelPeer ours(Ground ground, BesidePlan plan, Durability durability) {
    return ground.peer(Side.of(durability).peer(), durability, plan.batches());
  }
}
