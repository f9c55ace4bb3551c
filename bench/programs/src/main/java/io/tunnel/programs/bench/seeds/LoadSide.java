package io.tunnel.programs.bench.seeds;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.programs.bench.live.ServerProbe;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.process.LoadPeer;
import io.tunnel.programs.bench.seeds.process.LoadProcess;
import io.tunnel.programs.bench.seeds.process.LoadProgram;
import io.tunnel.programs.bench.seeds.publish.PublishFigures;
import io.tunnel.programs.bench.seeds.publish.PublishLoadMain;
import io.tunnel.programs.bench.seeds.queue.QueueFigures;
import io.tunnel.programs.bench.seeds.queue.TableLoadMain;
import io.tunnel.programs.servers.ClusterProcesses;
import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.sdk.ClusterClient;
import io.tunnel.stress.LoadClock;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.HdrHistogram.Histogram;

/**
 * Measures loads that are processes of their own on either side: servers for all operations of a
 * load, and beside them the process with the load.
 */
final class LoadSide {

  /** The most heap of a server, of a peer, and of a load: what {@code ./tunnel server} has. */
  static final int HEAP_MIB = 1_024;

  /** What the names of tables begin with on a server that has no others. */
  private static final String TABLES = "case";

  private static final double KIB = 1 << 10;
  private static final double MIB = 1 << 20;
  private static final String HEAP = "-Xmx" + HEAP_MIB + "m";

  private final LoadClock clock;

  LoadSide(LoadClock clock) {
    this.clock = clock;
  }

  /** Queues and topics on this service. */
  Map<String, Map<Figure, Double>> queues(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    OwnServer.Settings settings =
        new OwnServer.Settings(threads, Optional.empty(), load.connections());
    try (OwnServer server = OwnServer.start(directory, settings)) {
      List<String> program = program(TableLoadMain.class, server.endpoint(), TABLES);
      return measure(workload, load, directory, running(program, server));
    }
  }

  /** Publishers and subscribers on this service: on one server, or on a cluster on Kafka. */
  Map<String, Map<Figure, Double>> paths(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    int servers = load.servers();
    int partitions = Math.max(servers, PublishLoads.partitions(load));
    OwnServer.Settings settings =
        new OwnServer.Settings(
            threads,
            // One shard may have fewer bound rows than the load has paths.
            servers == 1 && partitions > 1 ? Optional.of(partitions) : Optional.empty(),
            PublishLoads.connectionsOfAddress(load.connections()));
    if (servers == 1) {
      try (OwnServer server = OwnServer.start(directory, settings)) {
        List<String> program = pathsProgram(server.endpoint(), TABLES, partitions, true);
        return measure(workload, load, directory, running(program, server));
      }
    }
    try (ClusterProcesses cluster = OwnCluster.processes(directory, settings, servers, clock)) {
      List<String> program = pathsProgram(cluster.endpoint(), TABLES, partitions, false);
      return measure(
          workload, load, directory, new Running(program, cluster.pids(), Optional.empty()));
    }
  }

  private static Running running(List<String> program, OwnServer server) {
    return new Running(program, List.of(server.pid()), Optional.of(server.gcLog()));
  }

  /**
   * Queues, topics or paths on a server of the user.
   *
   * @param directory for the log of the load
   * @param endpoint the server, and who asks
   * @param tables what the names of the tables begin with
   */
  Map<String, Map<Figure, Double>> there(
      Workload workload, Load load, Path directory, String endpoint, String tables)
      throws Exception {
    List<String> program =
        load.audience().isEmpty()
            ? program(TableLoadMain.class, endpoint, tables)
            : pathsProgram(
                endpoint,
                tables,
                Math.max(load.servers(), PublishLoads.partitions(load)),
                isAlone(endpoint));
    return measure(
        workload,
        load,
        Files.createDirectories(directory),
        new Running(program, List.of(), Optional.empty()));
  }

  /** Whether the publishers bind rows: one connection opens sessions and writes, at one server. */
  private static boolean isAlone(String endpoint) {
    try (ClusterClient client = new ClusterClient(endpoint)) {
      var unused = client.describeCluster();
      return false;
    } catch (RefusedException e) {
      if (e.code() == ErrorCode.INVALID_REQUEST) {
        return true;
      }
      throw e;
    }
  }

  private static List<String> pathsProgram(
      String endpoint, String tables, int partitions, boolean isBound) {
    return program(
        PublishLoadMain.class,
        endpoint,
        tables,
        String.valueOf(partitions),
        String.valueOf(isBound));
  }

  private static List<String> program(Class<?> main, String... arguments) {
    return JavaProgram.command(List.of(HEAP), main.getName(), List.of(arguments));
  }

  /**
   * A peer.
   *
   * @param settings hears how the peer keeps what it is told
   */
  Beside peer(LoadPeer peer, Consumer<String> settings) {
    return (workload, load, threads, directory) -> {
      Files.createDirectories(directory);
      try (LoadPeer.Servers running =
          peer.start(directory, load.servers(), heapMib(load), libraries())) {
        settings.accept(running.settings());
        return measure(
            workload,
            load,
            directory,
            new Running(running.loadCommand(), running.pids(), Optional.of(running.gcLog())));
      }
    };
  }

  /** A ZooKeeper has all data in its heap: twice, as requests bring more. */
  private static int heapMib(Load load) {
    long dataBytes = load.audience().isPresent() ? load.rows() * load.bytes() : 0;
    return HEAP_MIB + (int) ((2 * dataBytes) >> 20);
  }

  /** Where the classes of a load are. */
  private static List<Path> libraries() {
    return List.of(placeOf(LoadProgram.class), placeOf(LoadClock.class), placeOf(Histogram.class));
  }

  private static Path placeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the classes of " + type + " are nowhere", e);
    }
  }

  /**
   * Servers that take a load.
   *
   * @param loadCommand starts the load
   * @param pids their processes
   * @param gcLog of the first one
   */
  private record Running(List<String> loadCommand, List<Long> pids, Optional<Path> gcLog) {}

  private Map<String, Map<Figure, Double>> measure(
      Workload workload, Load load, Path directory, Running servers)
      throws IOException, InterruptedException {
    Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
    try (LoadProcess process =
        LoadProcess.start(
            servers.loadCommand(), directory.resolve("load.log"), servers.pids(), clock)) {
      for (String operation : workload.operations(load)) {
        Map<Figure, Double> figures =
            load.audience().isPresent()
                ? figures(
                    PublishFigures.run(
                        PublishLoads.publishCase(workload, load, operation), process))
                : figures(
                    QueueFigures.run(QueueLoads.messageCase(workload, load, operation), process));
        put(figures, Figure.RESIDENT_KIB, resident(servers.pids()));
        if (servers.gcLog().isPresent()) {
          put(figures, Figure.HEAP_MIB, heap(servers.gcLog().get()));
        }
        byOperation.put(operation, figures);
      }
    }
    return byOperation;
  }

  private static Map<Figure, Double> figures(PublishFigures came) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.TOTAL, (double) came.main().count());
    figures.put(Figure.PER_SECOND, came.main().perSecond());
    figures.put(Figure.RECENT_PER_SECOND, came.main().recentPerSecond());
    figures.put(Figure.AVERAGE_MS, came.main().averageMs());
    figures.put(Figure.RECENT_MS, came.main().recentMs());
    figures.put(Figure.P50_MS, came.main().p50Ms());
    figures.put(Figure.P99_MS, came.main().p99Ms());
    came.data()
        .ifPresent(
            data -> {
              figures.put(Figure.DATA_AVERAGE_MS, data.averageMs());
              figures.put(Figure.DATA_RECENT_MS, data.recentMs());
              figures.put(Figure.DATA_P99_MS, data.p99Ms());
            });
    figures.put(Figure.FAILED, (double) came.failed());
    put(figures, Figure.CPU_PERCENT, came.cpuPercent());
    return figures;
  }

  private static Map<Figure, Double> figures(QueueFigures came) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    figures.put(Figure.SENT_PER_SECOND, came.sentPerSecond());
    figures.put(Figure.RECEIVED_PER_SECOND, came.receivedPerSecond());
    put(figures, Figure.CPU_PERCENT, came.cpuPercent());
    put(figures, Figure.DISK_MIB_PER_SECOND, came.diskMibPerSecond());
    put(figures, Figure.P50_MS, came.p50Ms());
    put(figures, Figure.P99_MS, came.p99Ms());
    return figures;
  }

  private static void put(Map<Figure, Double> figures, Figure figure, OptionalDouble value) {
    value.ifPresent(number -> figures.put(figure, number));
  }

  private static OptionalDouble resident(List<Long> pids) {
    long bytes = pids.stream().mapToLong(JavaProgram::residentBytes).sum();
    return bytes == 0 ? OptionalDouble.empty() : OptionalDouble.of(bytes / KIB);
  }

  private static OptionalDouble heap(Path gcLog) throws IOException {
    double bytes = ServerProbe.heapBytes(gcLog);
    return Double.isNaN(bytes) ? OptionalDouble.empty() : OptionalDouble.of(bytes / MIB);
  }
}
