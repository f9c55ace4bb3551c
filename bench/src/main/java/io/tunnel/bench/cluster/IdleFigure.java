package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;

/**
 * What nodes use when nothing happens: with nothing, and with 128 partitions and their standbys.
 */
final class IdleFigure implements Figure<ClusterChildren> {

  private static final int PARTITIONS = 128;
  private static final int SETTLE_MS = 10_000;
  private static final int SECONDS = 20;
  private static final double NANOS_PER_PERCENT = 1e7;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    setup.row("idle", "CPU of all nodes, % of a core", "of Kafka, % of a core");
    setup.rule(3);
    look(setup, "no table");
    var unused = setup.newTable("idle", PARTITIONS);
    look(setup, PARTITIONS + " partitions");
  }

  private static void look(FigureSetup<ClusterChildren> setup, String what) {
    setup.pause(SETTLE_MS);
    ClusterChildren cluster = setup.servers();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    setup.pause(SECONDS * 1_000L);
    setup.row(
        what,
        ClusterRows.tenths((cluster.cpuNanos() - nodes) / NANOS_PER_PERCENT / SECONDS),
        ClusterRows.tenths((cluster.brokerCpuNanos() - broker) / NANOS_PER_PERCENT / SECONDS));
  }
}
