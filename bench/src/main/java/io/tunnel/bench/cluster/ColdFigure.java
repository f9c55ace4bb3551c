package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.sdk.TableClient;
import java.util.List;

/**
 * How long a node with an empty directory takes until it serves a table whose rows no other node
 * has any more: the node reads the newest snapshots, and the logs after them.
 */
final class ColdFigure implements Figure<ClusterChildren> {

  private static final String TABLE = "cold";
  private static final int PARTITIONS = 8;
  private static final int ROWS = 5_000_000;
  private static final int SECONDS_MAX = 300;

  /** The sessions of ended nodes are over, and their snapshots are complete. */
  private static final long REST_MS = 10_000;

  @Override
  public String name() {
    return "cold";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    var unused = setup.newTable(TABLE, PARTITIONS);
    setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
    setup.row("empty directory, " + ROWS + " rows", "s until all partitions serve");
    setup.rule(2);
    write(setup, ROWS);
    start(setup, "n4", "each row was written once");
    write(setup, 2 * ROWS);
    start(setup, "n5", "each row was written three times");
  }

  private static void write(FigureSetup<ClusterChildren> setup, long rows) {
    try (TableClient tables = TableClient.connect(setup.servers().endpoint())) {
      ClusterRows.write(
          tables, TABLE, rows, row -> FigureSetup.put(ClusterRows.spread(row % ROWS)));
    }
  }

  private static void start(FigureSetup<ClusterChildren> setup, String node, String what)
      throws Exception {
    setup.pause(REST_MS);
    List.copyOf(setup.servers().names()).forEach(setup.servers()::kill);
    setup.pause(REST_MS);
    long started = setup.clock().nanos();
    setup.servers().startNode(node);
    try (TableClient tables = TableClient.connect(setup.servers().endpoint())) {
      setup.await("all partitions serve", SECONDS_MAX, () -> isServed(tables));
    }
    double seconds = (setup.clock().nanos() - started) / ClusterRows.NANOS_PER_MS / 1_000;
    setup.row(what, ClusterRows.tenths(seconds));
  }

  /** Whether a row of each partition can be read. */
  private static boolean isServed(TableClient tables) {
    try {
      for (int row = 0; row < 16 * PARTITIONS; row++) {
        if (tables.getRow(TABLE, ClusterRows.spread(row)).isEmpty()) {
          throw new AssertionError("row " + row + " is lost");
        }
      }
      return true;
    } catch (RuntimeException notYet) {
      return false;
    }
  }
}
