package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;

/**
 * What nodes use when nothing happens: with nothing, and with 128 partitions and their standbys.
 */
final class IdleFigure implements Figure<Ground> {

  private static final int PARTITIONS = 128;
  private static final int SETTLE_MS = 10_000;
  private static final int SECONDS = 20;
  private static final double NANOS_PER_PERCENT = 1e7;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public void measure(Ground ground) throws Exception {
    ground.row("idle", "CPU of all nodes, % of a core", "of Kafka, % of a core");
    ground.rule(3);
    look(ground, "no table");
    var unused = ground.newTable("idle", PARTITIONS);
    look(ground, PARTITIONS + " partitions");
  }

  private static void look(Ground ground, String what) {
    ground.pause(SETTLE_MS);
    ClusterChildren cluster = ground.cluster();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    ground.pause(SECONDS * 1_000L);
    ground.row(
        what,
        Ground.tenths((cluster.cpuNanos() - nodes) / NANOS_PER_PERCENT / SECONDS),
        Ground.tenths((cluster.brokerCpuNanos() - broker) / NANOS_PER_PERCENT / SECONDS));
  }
}
