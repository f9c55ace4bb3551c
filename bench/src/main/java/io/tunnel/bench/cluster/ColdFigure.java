package io.tunnel.bench.cluster;

import io.tunnel.bench.figures.Figure;
import io.tunnel.sdk.TableClient;
import java.util.List;

/**
 * How long a node with an empty directory takes until it serves a table whose rows no other node
 * has any more: the node reads the newest snapshots, and the logs after them.
 */
final class ColdFigure implements Figure<Ground> {

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
  public void measure(Ground ground) throws Exception {
    var unused = ground.newTable(TABLE, PARTITIONS);
    ground.await("an even share", SECONDS_MAX, () -> Survivors.isEven(ground, PARTITIONS));
    ground.row("empty directory, " + ROWS + " rows", "s until all partitions serve");
    ground.rule(2);
    write(ground, ROWS);
    start(ground, "n4", "each row was written once");
    write(ground, 2 * ROWS);
    start(ground, "n5", "each row was written three times");
  }

  private static void write(Ground ground, long rows) {
    try (TableClient tables = TableClient.connect(ground.cluster().endpoint())) {
      Ground.write(tables, TABLE, rows, row -> Ground.put(Ground.spread(row % ROWS)));
    }
  }

  private static void start(Ground ground, String node, String what) throws Exception {
    ground.pause(REST_MS);
    List.copyOf(ground.cluster().names()).forEach(ground.cluster()::kill);
    ground.pause(REST_MS);
    long started = ground.clock().nanos();
    ground.cluster().startNode(node);
    try (TableClient tables = TableClient.connect(ground.cluster().endpoint())) {
      ground.await("all partitions serve", SECONDS_MAX, () -> isServed(tables));
    }
    double seconds = (ground.clock().nanos() - started) / Ground.NANOS_PER_MS / 1_000;
    ground.row(what, Ground.tenths(seconds));
  }

  /** Whether a row of each partition can be read. */
  private static boolean isServed(TableClient tables) {
    try {
      for (int row = 0; row < 16 * PARTITIONS; row++) {
        if (tables.getRow(TABLE, Ground.spread(row)).isEmpty()) {
          throw new AssertionError("row " + row + " is lost");
        }
      }
      return true;
    } catch (RuntimeException notYet) {
      return false;
    }
  }
}
