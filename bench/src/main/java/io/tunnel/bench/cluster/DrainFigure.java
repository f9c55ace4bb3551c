package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.cluster.SteadyLoad.Marks;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.ClusterClient;
import java.util.List;

/** How old rows get at most while a node is emptied under load, and while it takes part again. */
final class DrainFigure implements Figure<ClusterChildren> {

  private static final String TABLE = "drain";
  private static final int PARTITIONS = 24;
  private static final int ROUNDS = 5;
  private static final long ROWS_PER_SECOND = 2_000;
  private static final int SECONDS_MAX = 60;
  private static final int REST_MS = 2_000;

  @Override
  public String name() {
    return "drain";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    var unused = setup.newTable(TABLE, PARTITIONS);
    setup.row("drain", "ms until done", "oldest row at its ack, ms", "at its callback, ms");
    setup.rule(4);
    try (SteadyLoad load = new SteadyLoad(setup, TABLE, PARTITIONS, ROWS_PER_SECOND);
        ClusterClient client = new ClusterClient(setup.servers().endpoint())) {
      setup.await("rows arrive", SECONDS_MAX, () -> load.seen() > 2 * ROWS_PER_SECOND);
      setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
      setup.pause(REST_MS);
      Marks quiet = load.mark();
      setup.pause(REST_MS);
      row(setup, "(nothing moves)", 0, quiet);
      for (int round = 0; round < ROUNDS; round++) {
        List<String> names = setup.servers().names();
        String name = names.get(round % names.size());
        String address = setup.servers().node(name).endpoint();
        for (boolean isDraining : new boolean[] {true, false}) {
          Marks marks = load.mark();
          long started = setup.clock().nanos();
          client.drain(address, isDraining);
          setup.await(
              "the node is done",
              SECONDS_MAX,
              () -> isDraining ? isEmpty(client, name) : Survivors.isEven(setup, PARTITIONS));
          long done = setup.clock().nanos() - started;
          setup.pause(REST_MS);
          row(setup, name + (isDraining ? " drains" : " takes part again"), done, marks);
        }
      }
    }
  }

  private static boolean isEmpty(ClusterClient client, String name) {
    return client.describeCluster().nodes().stream()
        .filter(node -> node.name().equals(name))
        .allMatch(node -> node.leads().isEmpty() && node.tunnelGroups() == 0);
  }

  private static void row(
      FigureSetup<ClusterChildren> setup, String what, long nanos, Marks marks) {
    setup.row(
        what,
        Math.round(nanos / ClusterRows.NANOS_PER_MS),
        Math.round(marks.oldestAckNanos() / ClusterRows.NANOS_PER_MS),
        Math.round(marks.oldestSeenNanos() / ClusterRows.NANOS_PER_MS));
  }
}
