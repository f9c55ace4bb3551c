package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.bench.live.ServerProbe;
import io.tunnel.programs.bench.seeds.Workload.Load;
import io.tunnel.programs.bench.seeds.queue.LoadProcess;
import io.tunnel.programs.bench.seeds.queue.LoadProgram;
import io.tunnel.programs.bench.seeds.queue.QueueFigures;
import io.tunnel.programs.bench.seeds.queue.QueuePeer;
import io.tunnel.programs.bench.seeds.queue.TableLoadMain;
import io.tunnel.programs.servers.JavaProgram;
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
 * Measures queues and topics: a server for all operations of a load, and the load in a process of
 * its own, on either side.
 */
final class QueueSide {

  /** The most heap of a server, of a broker, and of a load: what {@code ./tunnel server} has. */
  static final int HEAP_MIB = 1_024;

  private static final double KIB = 1 << 10;
  private static final double MIB = 1 << 20;
  private static final String HEAP = "-Xmx" + HEAP_MIB + "m";

  private final LoadClock clock;

  QueueSide(LoadClock clock) {
    this.clock = clock;
  }

  /** This service. */
  Map<String, Map<Figure, Double>> own(
      Workload workload, Load load, Optional<Integer> threads, Path directory) throws Exception {
    try (OwnServer server = OwnServer.start(directory, threads, load.connections())) {
      List<String> command =
          JavaProgram.command(
              List.of(HEAP), TableLoadMain.class.getName(), List.of(server.endpoint()));
      return measure(workload, load, directory, command, server.pid(), server.gcLog());
    }
  }

  /**
   * A broker.
   *
   * @param settings hears how the broker keeps messages
   */
  Beside peer(QueuePeer peer, Consumer<String> settings) {
    return (workload, load, threads, directory) -> {
      Files.createDirectories(directory);
      try (QueuePeer.Broker broker = peer.start(directory, HEAP_MIB, libraries())) {
        settings.accept(broker.settings());
        return measure(
            workload, load, directory, broker.loadCommand(), broker.pid(), broker.gcLog());
      }
    };
  }

  /** Where the classes of a load are. */
  private static List<Path> libraries() {
    return List.of(placeOf(LoadProgram.class), placeOf(Histogram.class));
  }

  private static Path placeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the classes of " + type + " are nowhere", e);
    }
  }

  private Map<String, Map<Figure, Double>> measure(
      Workload workload, Load load, Path directory, List<String> command, long pid, Path gcLog)
      throws IOException, InterruptedException {
    Map<String, Map<Figure, Double>> byOperation = new LinkedHashMap<>();
    try (LoadProcess process =
        LoadProcess.start(command, directory.resolve("load.log"), pid, clock)) {
      for (String operation : workload.operations(load)) {
        QueueFigures came = process.run(QueueLoads.messageCase(workload, load, operation));
        Map<Figure, Double> figures = figures(came);
        put(figures, Figure.RESIDENT_KIB, resident(pid));
        put(figures, Figure.HEAP_MIB, heap(gcLog));
        byOperation.put(operation, figures);
      }
    }
    return byOperation;
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

  private static OptionalDouble resident(long pid) {
    long bytes = JavaProgram.residentBytes(pid);
    return bytes == 0 ? OptionalDouble.empty() : OptionalDouble.of(bytes / KIB);
  }

  private static OptionalDouble heap(Path gcLog) throws IOException {
    double bytes = ServerProbe.heapBytes(gcLog);
    return Double.isNaN(bytes) ? OptionalDouble.empty() : OptionalDouble.of(bytes / MIB);
  }
}
