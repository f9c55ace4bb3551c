package io.tunnel.bench.delivery;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureOptions;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "delivery",
    mixinStandardHelpOptions = true,
    description = "Measures what moving, losing and holding channels costs, and what watches cost.")
public final class DeliveryMain implements Callable<Integer> {

  private static final List<Figure<TunnelServerChild>> FIGURES =
      List.of(
          new LatencyFigure(),
          new MoveFigure(),
          new KillFigure(),
          new SlowWorkerFigure(),
          new IdleConnectionsFigure(),
          new WatchesFigure(),
          new IdleWatchesFigure());

  @Mixin private FigureOptions options;

  private DeliveryMain() {}

  /** Measures. */
  public static void main(String[] args) {
    FigureOptions.main(new DeliveryMain(), args);
  }

  @Override
  public Integer call() throws Exception {
    return options.measure(FIGURES, DeliveryMain::measure);
  }

  private static void measure(Figure<TunnelServerChild> figure, FigureOptions.Run run)
      throws Exception {
    try (Children children = run.children()) {
      TunnelServerChild server = TunnelServerChild.start(children, run.clock());
      try (TableClient tables = TableClient.connect(server.endpoint());
          TunnelClient tunnels = new TunnelClient(server.endpoint())) {
        figure.measure(
            new FigureSetup<>(children, server, tables, tunnels, run.clock(), run.out()));
      }
    }
  }
}
