package io.tunnel.bench.delivery;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.children.Watchdog;
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
    name = "delivery",
    mixinStandardHelpOptions = true,
    description = "Measures what moving, losing and holding channels costs.")
public final class DeliveryMain implements Callable<Integer> {

  private static final List<Figure> FIGURES =
      List.of(
          new LatencyFigure(),
          new MoveFigure(),
          new KillFigure(),
          new SlowWorkerFigure(),
          new IdleConnectionsFigure());

  @Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--only",
      split = ",",
      paramLabel = "FIGURE",
      description = "Some of latency,moves,kill,slow,connections (default: all).")
  private List<String> only = FIGURES.stream().map(Figure::name).toList();

  @Option(names = "--dir", description = "Where the temporary directory is made.")
  private Path dir = Path.of(System.getProperty("java.io.tmpdir"));

  @Option(names = "--minutes-max", description = "Then everything is stopped (default: 20).")
  private int minutesMax = 20;

  private DeliveryMain() {}

  /** Measures; a signal, and the longest time, end its children too. */
  public static void main(String[] args) {
    System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
    System.exit(new CommandLine(new DeliveryMain()).execute(args));
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

  /** Each figure has a server of its own, so that none inherits what another left in memory. */
  private void measure(Figure figure, LoadClock clock, PrintWriter out) throws Exception {
    try (Children children = new Children(dir)) {
      TunnelServerChild server = TunnelServerChild.start(children, clock);
      try (TableClient tables = TableClient.connect(server.endpoint());
          TunnelClient tunnels = new TunnelClient(server.endpoint())) {
        figure.measure(new Bed(children, server, tables, tunnels, clock, out));
      }
    }
  }
}
