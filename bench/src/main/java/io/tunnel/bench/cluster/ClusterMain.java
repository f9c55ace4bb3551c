package io.tunnel.bench.cluster;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.children.Watchdog;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.stress.LoadClock;
import io.tunnel.stress.SystemClock;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program: wires everything, and ends the process. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Measures what a cluster of three nodes costs, and how long it stands still.")
public final class ClusterMain implements Callable<Integer> {

  private static final int NODES = 3;
  private static final int BROKER_HEAP_MIB = 1024;
  private static final List<Figure> FIGURES =
      List.of(new IdleFigure(), new FailoverFigure(), new DrainFigure(), new WideFigure());

  @Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "FIGURE",
      description = "Some of idle,failover,drain,wide (default: all).")
  private List<String> only = FIGURES.stream().map(Figure::name).toList();

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--minutes-max", description = "Then everything is stopped (default: 20).")
  private int minutesMax = 20;

  private ClusterMain() {}

  /** Measures; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
    System.exit(new CommandLine(new ClusterMain()).execute(args));
  }

  @Override
  public Integer call() throws Exception {
    for (String name : only) {
      if (FIGURES.stream().noneMatch(figure -> figure.name().equals(name))) {
        throw new ParameterException(
            spec.commandLine(),
            "no figure '" + name + "'; there are " + FIGURES.stream().map(Figure::name).toList());
      }
    }
    LoadClock clock = new SystemClock();
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    Watchdog.endIn(minutesMax, clock);
    for (Figure figure : FIGURES) {
      if (only.contains(figure.name())) {
        out.println("== " + figure.name());
        measure(figure, clock, out);
      }
    }
    return 0;
  }

  /** Each figure has nodes of its own, so that none inherits what another left in memory. */
  private void measure(Figure figure, LoadClock clock, PrintWriter out) throws Exception {
    try (Children children = new Children(dir);
        KafkaBroker broker = ClusterChildren.startBroker(children, BROKER_HEAP_MIB)) {
      ClusterChildren cluster = ClusterChildren.start(children, clock, broker, "figures", NODES);
      try (TableClient tables = TableClient.connect(cluster.endpoint());
          TunnelClient tunnels = new TunnelClient(cluster.endpoint())) {
        figure.measure(new Ground(children, cluster, tables, tunnels, clock, out));
      }
    }
  }
}
