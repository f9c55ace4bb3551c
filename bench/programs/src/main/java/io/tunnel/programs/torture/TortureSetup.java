package io.tunnel.programs.torture;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.kafka.broker.FreePorts;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All that a run starts: machines with servers, and their Kafka. Everything lies in one directory,
 * which is removed at the end with all mounts, also when the run is interrupted.
 */
final class TortureSetup implements AutoCloseable {

  private static final String PRINCIPAL = "torture";

  private static final List<Permission> RIGHTS =
      List.of(
          Permission.allow(
              PRINCIPAL, List.of("create", "read", "write", "alter", "drop"), "table:*"),
          Permission.allow(PRINCIPAL, List.of("create", "consume", "drop", "operate"), "tunnel:*"));

  private final TorturePlan plan;
  private final Path work;
  private final List<Machine> machines = new ArrayList<>();
  private Optional<TortureKafka> kafka = Optional.empty();
  private LoopbackSecurity security = LoopbackSecurity.none();
  private int clears;
  private boolean isKept;
  private boolean isClosed;

  private TortureSetup(TorturePlan plan, Path work) {
    this.plan = plan;
    this.work = work;
  }

  /**
   * Makes what the plan needs; no server runs.
   *
   * @param now when certificates begin
   */
  static TortureSetup make(String mainClass, TorturePlan plan, Instant now)
      throws IOException, InterruptedException {
    TortureSetup made =
        new TortureSetup(plan, Files.createTempDirectory(plan.work(), "tunnel-torture-"));
    try {
      made.make(mainClass, now);
      return made;
    } catch (IOException | InterruptedException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private void make(String mainClass, Instant now) throws IOException, InterruptedException {
    // All servers of a run keep their ports, so that clients find a restarted server.
    List<Integer> ports = FreePorts.find(Math.max(1, plan.nodes()));
    boolean needsDisk = plan.faults().stream().anyMatch(Fault::needsDisk);
    for (int i = 0; i < ports.size(); i++) {
      Path own = work.resolve("n" + (i + 1));
      machines.add(Machine.make(mainClass, own, ports.get(i), needsDisk && plan.hasDisks()));
    }
    if (plan.isSecured()) {
      security = LoopbackSecurity.in(work, now);
    }
    if (plan.isNode()) {
      kafka = Optional.of(TortureKafka.make(work.resolve("kafka"), plan));
    }
  }

  /** What clients are told of the servers; they get a key and rights, if the servers are closed. */
  String endpoint() throws IOException {
    return security.forClients(addresses(), PRINCIPAL, RIGHTS);
  }

  /** What an administrator is told. */
  String administratorsEndpoint() throws IOException {
    return security.forAdministrator(addresses());
  }

  private String addresses() {
    return machines.stream().map(Machine::address).collect(Collectors.joining(","));
  }

  /** The machines of all servers. */
  List<Machine> machines() {
    return List.copyOf(machines);
  }

  /** The machine of a round. */
  Machine victim(FaultPlan.Round round) {
    return machines.get(round.victim() % machines.size());
  }

  /** The brokers of nodes. */
  TortureKafka kafka() {
    return kafka.orElseThrow();
  }

  /** Begins anew with nothing stored, and as another cluster; returns when all servers serve. */
  void begin() throws IOException, InterruptedException {
    clears++;
    for (Machine machine : machines) {
      machine.kill();
    }
    security.forget(PRINCIPAL);
    if (kafka.isPresent()) {
      kafka.get().begin();
    }
    for (int i = 0; i < machines.size(); i++) {
      machines.get(i).clear(options(i));
    }
    for (Machine machine : machines) {
      var unused = machine.spawn();
    }
    for (Machine machine : machines) {
      machine.server().awaitReady();
    }
  }

  private List<String> options(int node) {
    List<String> options = new ArrayList<>();
    kafka.ifPresent(
        brokers -> {
          options.addAll(List.of("--log", "kafka", "--bootstrap", brokers.bootstrap(node)));
          options.addAll(List.of("--cluster", "torture-" + clears, "--node", "n" + (node + 1)));
          options.addAll(List.of("--replication", "" + brokers.count()));
          options.addAll(List.of("--min-insync", "" + Math.max(1, brokers.count() - 1)));
          options.addAll(List.of("--session-ms", plan.isCluster() ? "6000" : "3000"));
        });
    options.addAll(security.arguments());
    return options;
  }

  /** Copies what servers had trouble with to a place that stays; says where it is. */
  Path keep(int number) throws IOException, InterruptedException {
    Path kept = work.resolve("kept-" + number);
    isKept = true;
    if (plan.isCluster()) {
      Files.createDirectory(kept);
      for (int i = 0; i < machines.size(); i++) {
        machines.get(i).keep(kept.resolve("n" + (i + 1)));
      }
      kafka().keep(kept);
    } else {
      machines.get(0).keep(kept);
    }
    return kept;
  }

  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    machines.forEach(Machine::close);
    kafka.ifPresent(TortureKafka::close);
    if (!isKept) {
      Machine.delete(work);
      return;
    }
    try (Stream<Path> files = Files.walk(work)) {
      for (Path file : files.filter(PowerDisk::isHost).toList()) {
        Files.delete(file);
      }
    }
  }
}
