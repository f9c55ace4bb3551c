package io.tunnel.bench.start;

import io.tunnel.bench.children.Watchdog;
import io.tunnel.cli.log.Logging;
import io.tunnel.model.Durability;
import io.tunnel.programs.bench.peer.BatchSettings;
import io.tunnel.programs.bench.peer.Figures;
import io.tunnel.programs.bench.peer.LatencyRound;
import io.tunnel.programs.bench.peer.Progress;
import io.tunnel.programs.bench.peer.TunnelPeer;
import io.tunnel.programs.servers.DataDirectory;
import io.tunnel.programs.servers.ServerProcess;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Starts a server by the launcher again and again, with the recording of classes and without in
 * turns, and holds each to a steady load from its first second on. The writer and the reader are in
 * this process and warm: a first server, whose figures do not count, has warmed them.
 */
@Command(
    name = "first-minute",
    mixinStandardHelpOptions = true,
    description = "Measures a server's start, and its first minute under a steady load.")
public final class FirstMinuteMain implements Callable<Integer> {

  private static final String VARIABLE = "TUNNEL_CLASS_CACHE";
  private static final int PARTITIONS = 8;
  private static final BatchSettings BATCHES = new BatchSettings(5, 0, 0, 256 << 10);

  @Option(names = "--launcher", description = "The launcher (default: ${DEFAULT-VALUE}).")
  private Path launcher = Path.of("./tunnel");

  @Option(names = "--dir", description = "Where the temporary directories are made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--turns", description = "Servers of each kind (default: ${DEFAULT-VALUE}).")
  private int turns = 3;

  @Option(names = "--rate", description = "Rows a second (default: ${DEFAULT-VALUE}).")
  private int rate = 50_000;

  @Option(names = "--seconds", description = "Length of the load (default: ${DEFAULT-VALUE}).")
  private int seconds = 60;

  @Option(names = "--minutes-max", description = "Then it all ends (default: ${DEFAULT-VALUE}).")
  private int minutesMax = 30;

  private final LoadClock clock = new SystemClock();
  private final PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);

  private FirstMinuteMain() {}

  /** Measures, and ends the process. */
  public static void main(String[] args) {
    CommandLine line = new CommandLine(new FirstMinuteMain());
    line.setExecutionStrategy(new Logging(System.getenv()));
    System.exit(line.execute(args));
  }

  @Override
  public Integer call() throws Exception {
    Watchdog.endIn(minutesMax, clock);
    measure("warm-up", Map.of());
    out.println("kind        ready ms  CPU s at ready  CPU s  acked-seen p99 ms  due-seen p99 ms");
    for (int turn = 0; turn < turns; turn++) {
      out.println(measure("recording", Map.of()));
      out.println(measure("without", Map.of(VARIABLE, "off")));
    }
    return 0;
  }

  private String measure(String kind, Map<String, String> environment) throws Exception {
    DataDirectory directory = DataDirectory.temporary("first-minute", dir);
    Path log = directory.log("server");
    long startNanos = clock.nanos();
    try (ServerProcess server =
        ServerProcess.launch(launcher, directory.data(), log, environment)) {
      double readyMs = (clock.nanos() - startNanos) / 1e6;
      double readyCpu = server.cpuNanos() / 1e9;
      TunnelPeer.Servers one = TunnelPeer.Servers.one(server.endpoint(), server::cpuNanos);
      try (TunnelPeer peer = new TunnelPeer("tunnel", one, Durability.OS, BATCHES)) {
        LatencyRound round = new LatencyRound(PARTITIONS, 3L * seconds, Progress.NONE, clock);
        Figures figures = round.run(peer, "load", new LatencyRound.Pace(rate, 0, rate * seconds));
        return String.format(
            "%-10s  %8.0f  %14.2f  %5.1f  %17.2f  %15.1f",
            kind,
            readyMs,
            readyCpu,
            server.cpuNanos() / 1e9,
            figures.get("acked-seen p99 ms"),
            figures.get("due-seen p99 ms"));
      }
    } finally {
      directory.delete();
    }
  }
}
