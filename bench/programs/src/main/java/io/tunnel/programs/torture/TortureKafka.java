package io.tunnel.programs.torture;

import io.tunnel.kafka.broker.FreePorts;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The Kafka of nodes: one broker that is left alone, or three brokers, each with a disk of its own
 * where a broker may lose its power. Each of three brokers has a listener for each node, so packets
 * between one node and Kafka can be told from all others.
 */
final class TortureKafka implements AutoCloseable {

  private static final int BROKERS = 3;
  private static final int CONTROLLER = 9;

  private final Path work;
  private final TorturePlan plan;
  private final List<PowerDisk> disks = new ArrayList<>();
  private List<Ports> ports = List.of();
  private List<KafkaBroker> brokers = List.of();
  private Optional<KafkaBroker> controller = Optional.empty();
  private int begins;

  /**
   * Ports of one of several brokers.
   *
   * @param direct for this program
   * @param nodes for each node
   * @param brokers for the other brokers
   * @param controller of the broker's own controller
   */
  private record Ports(int direct, List<Integer> nodes, int brokers, int controller) {}

  private TortureKafka(Path work, TorturePlan plan) {
    this.work = work;
    this.plan = plan;
  }

  /** No broker runs. */
  static TortureKafka make(Path work, TorturePlan plan) throws IOException, InterruptedException {
    Files.createDirectory(work);
    TortureKafka made = new TortureKafka(work, plan);
    if (plan.isCluster() && plan.faults().contains(Fault.BROKER_POWER)) {
      for (int i = 1; i <= BROKERS; i++) {
        made.disks.add(PowerDisk.make(Files.createDirectory(work.resolve("disk-" + i))));
      }
    }
    return made;
  }

  /** Of one broker there are new topics for each cluster; several brokers begin with nothing. */
  void begin() throws IOException, InterruptedException {
    begins++;
    if (!plan.isCluster()) {
      if (brokers.isEmpty()) {
        brokers = List.of(KafkaBroker.start(work.resolve("one"), Map.of()));
      }
      return;
    }
    end();
    Machine.delete(work.resolve("brokers-" + (begins - 1)));
    for (PowerDisk disk : disks) {
      disk.format();
    }
    Path own = Files.createDirectory(work.resolve("brokers-" + begins));
    List<Integer> found = FreePorts.find(BROKERS * (plan.nodes() + 3) + 1);
    ports = ports(found);
    // A quorum needs two of the three brokers, and an unclean election has one.
    boolean isApart = plan.faults().contains(Fault.UNCLEAN);
    String voters =
        isApart
            ? CONTROLLER + "@127.0.0.1:" + found.get(0)
            : ports.stream()
                .map(each -> (ports.indexOf(each) + 1) + "@127.0.0.1:" + each.controller())
                .collect(Collectors.joining(","));
    if (isApart) {
      Map<String, String> settings = ofController(voters, found.get(0));
      controller = Optional.of(KafkaBroker.start(own.resolve("controller"), settings));
    }
    List<Map<String, String>> settings = new ArrayList<>();
    for (int i = 0; i < BROKERS; i++) {
      settings.add(settings(i, voters, isApart));
    }
    brokers = KafkaBroker.startQuorum(own, settings);
    for (PowerDisk disk : disks) {
      disk.sync();
    }
  }

  private List<Ports> ports(List<Integer> found) {
    List<Ports> all = new ArrayList<>();
    for (int i = 0; i < BROKERS; i++) {
      int each = plan.nodes() + 3;
      List<Integer> own = found.subList(1 + i * each, 1 + (i + 1) * each);
      List<Integer> nodes = List.copyOf(own.subList(3, each));
      all.add(new Ports(own.get(0), nodes, own.get(1), own.get(2)));
    }
    return all;
  }

  private static Map<String, String> ofController(String voters, int port) {
    String listener = "CONTROLLER://127.0.0.1:" + port;
    return Map.of(
        "process.roles",
        "controller",
        "node.id",
        "" + CONTROLLER,
        "controller.quorum.voters",
        voters,
        "listeners",
        listener,
        "advertised.listeners",
        listener,
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT");
  }

  private Map<String, String> settings(int broker, String voters, boolean isApart) {
    Ports own = ports.get(broker);
    List<String> listeners = new ArrayList<>();
    listeners.add("DIRECT://127.0.0.1:" + own.direct());
    listeners.add("BROKERS://127.0.0.1:" + own.brokers());
    for (int i = 0; i < own.nodes().size(); i++) {
      listeners.add("NODE" + i + "://127.0.0.1:" + own.nodes().get(i));
    }
    Map<String, String> settings = new HashMap<>();
    settings.put("advertised.listeners", String.join(",", listeners));
    settings.put(
        "listener.security.protocol.map",
        "CONTROLLER:PLAINTEXT,"
            + listeners.stream()
                .map(each -> each.substring(0, each.indexOf(':')) + ":PLAINTEXT")
                .collect(Collectors.joining(",")));
    if (isApart) {
      settings.put("process.roles", "broker");
    } else {
      listeners.add("CONTROLLER://127.0.0.1:" + own.controller());
    }
    settings.put("listeners", String.join(",", listeners));
    settings.put("inter.broker.listener.name", "BROKERS");
    settings.put("controller.quorum.voters", voters);
    // Six JVMs share the processors: a broker that waits for its turn is not taken for dead.
    settings.put("broker.session.timeout.ms", "9000");
    settings.put("broker.heartbeat.interval.ms", "1000");
    settings.put("replica.lag.time.max.ms", "6000");
    if (!disks.isEmpty()) {
      settings.put("log.dirs", disks.get(broker).path().resolve("kafka").toString());
    }
    return settings;
  }

  int count() {
    return plan.isCluster() ? BROKERS : 1;
  }

  /** Where a node finds the brokers. */
  String bootstrap(int node) {
    return plan.isCluster()
        ? ports.stream()
            .map(each -> "127.0.0.1:" + each.nodes().get(node))
            .collect(Collectors.joining(","))
        : brokers.get(0).bootstrap();
  }

  /** Where this program finds the brokers. */
  String bootstrap() {
    return ports.stream()
        .map(each -> "127.0.0.1:" + each.direct())
        .collect(Collectors.joining(","));
  }

  /** The ports at which brokers hear a node. */
  List<Integer> portsFor(int node) {
    return ports.stream().map(each -> each.nodes().get(node)).toList();
  }

  /** The port at which a broker hears the other brokers. */
  List<Integer> portForBrokers(FaultPlan.Round round) {
    return List.of(ports.get(round.victim() % BROKERS).brokers());
  }

  /** The broker of a round. */
  KafkaBroker victim(FaultPlan.Round round) {
    return brokers.get(round.victim() % BROKERS);
  }

  /** The disk of the broker of a round. */
  PowerDisk disk(FaultPlan.Round round) {
    return disks.get(round.victim() % BROKERS);
  }

  /** All brokers but the broker of a round. */
  List<KafkaBroker> others(FaultPlan.Round round) {
    KafkaBroker victim = victim(round);
    return brokers.stream().filter(each -> each != victim).toList();
  }

  /** Asks about topics; to be closed. */
  TortureTopics topics(LoadClock clock) {
    return new TortureTopics(bootstrap(), clock);
  }

  /** Copies what brokers said. */
  void keep(Path kept) throws IOException, InterruptedException {
    for (int i = 0; i < brokers.size(); i++) {
      SystemProgram.run("cp", brokers.get(i).log().toString(), kept + "/broker-" + i + ".log");
    }
  }

  private void end() {
    brokers.forEach(KafkaBroker::close);
    controller.ifPresent(KafkaBroker::close);
    brokers = List.of();
    controller = Optional.empty();
  }

  @Override
  public void close() {
    end();
    disks.forEach(PowerDisk::close);
  }
}
