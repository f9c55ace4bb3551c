package io.tunnel.bench.cluster;

import io.tunnel.bench.cluster.SteadyLoad.Marks;
import io.tunnel.bench.figures.Figure;
import io.tunnel.sdk.ClusterClient;
import java.util.List;

/** How old rows get at most while a node is emptied under load, and while it takes part again. */
final class DrainFigure implements Figure<Ground> {

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
  public void measure(Ground ground) throws Exception {
    var unused = ground.newTable(TABLE, PARTITIONS);
    ground.row("drain", "ms until done", "oldest row at its ack, ms", "at its callback, ms");
    ground.rule(4);
    try (SteadyLoad load = new SteadyLoad(ground, TABLE, PARTITIONS, ROWS_PER_SECOND);
        ClusterClient client = new ClusterClient(ground.cluster().endpoint())) {
      ground.await("rows arrive", SECONDS_MAX, () -> load.seen() > 2 * ROWS_PER_SECOND);
      ground.await("an even share", SECONDS_MAX, () -> Survivors.isEven(ground, PARTITIONS));
      ground.pause(REST_MS);
      Marks quiet = load.mark();
      ground.pause(REST_MS);
      row(ground, "(nothing moves)", 0, quiet);
      for (int round = 0; round < ROUNDS; round++) {
        List<String> names = ground.cluster().names();
        String name = names.get(round % names.size());
        String address = ground.cluster().node(name).endpoint();
        for (boolean isDraining : new boolean[] {true, false}) {
          Marks marks = load.mark();
          long started = ground.clock().nanos();
          client.drain(address, isDraining);
          ground.await(
              "the node is done",
              SECONDS_MAX,
              () -> isDraining ? isEmpty(client, name) : Survivors.isEven(ground, PARTITIONS));
          long done = ground.clock().nanos() - started;
          ground.pause(REST_MS);
          row(ground, name + (isDraining ? " drains" : " takes part again"), done, marks);
        }
      }
    }
  }

  private static boolean isEmpty(ClusterClient client, String name) {
    return client.describeCluster().nodes().stream()
        .filter(node -> node.name().equals(name))
        .allMatch(node -> node.leads().isEmpty() && node.tunnelGroups() == 0);
  }

  private static void row(Ground ground, String what, long nanos, Marks marks) {
    ground.row(
        what,
        Math.round(nanos / Ground.NANOS_PER_MS),
        Math.round(marks.oldestAckNanos() / Ground.NANOS_PER_MS),
        Math.round(marks.oldestSeenNanos() / Ground.NANOS_PER_MS));
  }
}
