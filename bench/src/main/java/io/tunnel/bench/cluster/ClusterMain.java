package io.tunnel.bench.cluster;

import io.tunnel.bench.children.Children;
import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureOptions;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.programs.bench.kafka.KafkaService;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The program: wires everything, and ends the process. */
@Command(
    name = "cluster",
    mixinStandardHelpOptions = true,
    description = "Measures what a cluster costs, and how long it stands still.")
public final class ClusterMain implements Callable<Integer> {

  private static final List<Figure<ClusterChildren>> FIGURES =
      List.of(
          new IdleFigure(),
          new FailoverFigure(),
          new DrainFigure(),
          new WideFigure(),
          new RowCostFigure(),
          new SnapshotFigure(),
          new ColdFigure());

  @Mixin private FigureOptions options;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "3",
      description = "Nodes; one has no standby, so failover and drain need more (default: 3).")
  private int nodes;

  private ClusterMain() {}

  /** Measures. */
  public static void main(String[] args) {
    FigureOptions.main(new ClusterMain(), args);
  }

  @Override
  public Integer call() throws Exception {
    return options.measure(FIGURES, this::measure);
  }

  private void measure(Figure<ClusterChildren> figure, FigureOptions.Run run) throws Exception {
    try (Children children = run.children();
        KafkaBroker broker = KafkaService.startBroker(children.directory().resolve("kafka"))) {
      ClusterChildren cluster =
          ClusterChildren.start(children, run.clock(), broker, "figures", nodes);
      try (TableClient tables = TableClient.connect(cluster.endpoint());
          TunnelClient tunnels = new TunnelClient(cluster.endpoint())) {
        figure.measure(
            new FigureSetup<>(children, cluster, tables, tunnels, run.clock(), run.out()));
      }
    }
  }
}
