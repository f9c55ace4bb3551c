package io.tunnel.programs.torture;

import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a server runs on, and the server. Everything lies in one directory, which is removed at the
 * end with all mounts, also when the run is interrupted.
 */
final class Machine implements AutoCloseable {

  private static final String PRINCIPAL = "torture";

  private static final List<Permission> RIGHTS =
      List.of(
          Permission.allow(
              PRINCIPAL, List.of("create", "read", "write", "alter", "drop"), "table:*"),
          Permission.allow(PRINCIPAL, List.of("create", "consume", "drop", "operate"), "tunnel:*"));

  private final String mainClass;
  private final Path work;
  private final int port;
  private final Optional<PowerDisk> disk;
  private Optional<KafkaBroker> kafka = Optional.empty();
  private LoopbackSecurity security = LoopbackSecurity.none();
  private int clears;
  private Optional<TortureServer> server = Optional.empty();
  private boolean isKept;
  private boolean isClosed;

  /** With a disk of its own, or with a plain directory. */
  Machine(String mainClass, Path parent, int port, boolean hasDisk)
      throws IOException, InterruptedException {
    this.mainClass = mainClass;
    this.port = port;
    work = Files.createTempDirectory(parent, "tunnel-torture-");
    disk = hasDisk ? Optional.of(PowerDisk.make(work)) : Optional.empty();
  }

  /** From now on servers are closed to who has no key. */
  void secure(Instant now) throws IOException {
    security = LoopbackSecurity.in(work, now);
  }

  /**
   * What clients are told of the server that runs; it gives them a key and rights, if it is closed.
   */
  String endpoint() throws IOException {
    return security.forClients("127.0.0.1:" + port, PRINCIPAL, RIGHTS);
  }

  PowerDisk disk() {
    return disk.orElseThrow();
  }

  boolean hasDisk() {
    return disk.isPresent();
  }

  private Path data() {
    return disk.map(PowerDisk::path).orElse(work).resolve("data");
  }

  /** From now on servers are nodes of a cluster, whose Kafka has a directory on another disk. */
  void startKafka() throws IOException {
    kafka = Optional.of(KafkaBroker.start(work.resolve("kafka"), Map.of()));
  }

  /** The options of a node; a new cluster each time that the data begins anew. */
  private List<String> options() {
    List<String> options = new ArrayList<>(ofNode());
    options.addAll(security.arguments());
    return options;
  }

  private List<String> ofNode() {
    return kafka
        .map(
            broker ->
                List.of(
                    "--log",
                    "kafka",
                    "--bootstrap",
                    broker.bootstrap(),
                    "--cluster",
                    "torture-" + clears,
                    "--node",
                    "n1",
                    "--replication",
                    "1",
                    "--min-insync",
                    "1",
                    "--session-ms",
                    "3000"))
        .orElse(List.of());
  }

  /** Begins anew with nothing stored. */
  void clear() throws IOException, InterruptedException {
    clears++;
    kill();
    security.forget(PRINCIPAL);
    if (disk.isPresent()) {
      disk.get().format();
    } else {
      delete(data());
    }
  }

  /** Starts a server and does not wait for it. */
  synchronized TortureServer spawn() throws IOException {
    if (isClosed) {
      throw new IOException("interrupted");
    }
    TortureServer spawned = TortureServer.spawn(mainClass, data(), port, work, options());
    server = Optional.of(spawned);
    return spawned;
  }

  TortureServer server() {
    return server.orElseThrow();
  }

  /** Ends the server, if there is one, from one moment to the next. */
  synchronized void kill() throws InterruptedException {
    if (server.isPresent()) {
      server.get().kill();
      server = Optional.empty();
    }
  }

  /** Copies what a server had trouble with to a place that stays; says where it is. */
  Path keep(int number) throws IOException, InterruptedException {
    Path kept = work.resolve("kept-" + number);
    SystemProgram.run("cp", "-r", data().toString(), kept.toString());
    isKept = true;
    return kept;
  }

  private static void delete(Path tree) throws IOException {
    if (Files.exists(tree)) {
      List<Path> deepestFirst;
      try (Stream<Path> files = Files.walk(tree)) {
        deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    }
  }

  @Override
  public synchronized void close() throws IOException {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try {
      kill();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    kafka.ifPresent(KafkaBroker::close);
    disk.ifPresent(PowerDisk::close);
    if (isKept) {
      Files.deleteIfExists(work.resolve("host.xfs"));
    } else {
      delete(work);
    }
  }
}
