package io.tunnel.bench.cluster;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureOptions;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program: wires everything, and ends the process. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Measures what a cluster of three nodes costs, and how long it stands still.")
public final class ClusterMain implements Callable<Integer> {

  private static final int NODES = 3;
  private static final List<Figure<Ground>> FIGURES =
      List.of(
          new IdleFigure(),
          new FailoverFigure(),
          new DrainFigure(),
          new WideFigure(),
          new RowCostFigure(),
          new SnapshotFigure(),
          new ColdFigure());

  @Mixin private FigureOptions options;

  private ClusterMain() {}

  /** Measures. */
  public static void main(String[] args) {
    FigureOptions.main(new ClusterMain(), args);
  }

  @Override
  public Integer call() throws Exception {
    return options.measure(FIGURES, ClusterMain::measure);
  }

  private static void measure(Figure<Ground> figure, FigureOptions.Run run) throws Exception {
    try (Children children = run.children();
        KafkaBroker broker = KafkaService.startBroker(children.directory().resolve("kafka"))) {
      ClusterChildren cluster =
          ClusterChildren.start(children, run.clock(), broker, "figures", NODES);
      try (TableClient tables = TableClient.connect(cluster.endpoint());
          TunnelClient tunnels = new TunnelClient(cluster.endpoint())) {
        figure.measure(
            new Ground(
                children,
                cluster,
                tables,
                tunnels,
                run.clock(),
                InstantSource.system(),
                run.out()));
      }
    }
  }
}
