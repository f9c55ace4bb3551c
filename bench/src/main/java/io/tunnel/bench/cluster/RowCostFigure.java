package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.function.Function;

/** What a row costs the nodes and Kafka: a row that is put, and a row of which a column changes. */
final class RowCostFigure implements Figure<Ground> {

  private static final String TABLE = "row-cost";
  private static final int PARTITIONS = 8;
  private static final int ROWS = 1_000_000;
  private static final int ROUNDS = 3;
  private static final int SECONDS_MAX = 60;
  private static final ColumnUpdate CHANGED =
      new ColumnUpdate.Put("payload", ColumnValue.fromString("y".repeat(160)));

  @Override
  public String name() {
    return "row-cost";
  }

  @Override
  public void measure(Ground ground) throws Exception {
    var unused = ground.newTable(TABLE, PARTITIONS);
    ground.await("an even share", SECONDS_MAX, () -> Survivors.isEven(ground, PARTITIONS));
    write(ground, Ground::put);
    int nodes = ground.cluster().names().size();
    ground.row(
        nodes + (nodes == 1 ? " node" : " nodes, one standby"),
        "rows/s",
        "CPU µs/row of nodes",
        "of Kafka");
    ground.rule(4);
    for (int round = 1; round <= ROUNDS; round++) {
      measure(ground, "PUT, round " + round, Ground::put);
      measure(ground, "UPDATE, round " + round, RowCostFigure::update);
    }
  }

  private static RowChange update(PrimaryKey key) {
    return new RowUpdateChange(key, List.of(CHANGED));
  }

  private static void measure(Ground ground, String what, Function<PrimaryKey, RowChange> change) {
    ClusterChildren cluster = ground.cluster();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    long started = ground.clock().nanos();
    write(ground, change);
    long written = ground.clock().nanos();
    // What is folded late belongs to the rows too.
    ground.pause(2_000);
    ground.row(
        what,
        Ground.perSecond(ROWS, written - started),
        Ground.microsPerRow(cluster.cpuNanos() - nodes, ROWS),
        Ground.microsPerRow(cluster.brokerCpuNanos() - broker, ROWS));
  }

  private static void write(Ground ground, Function<PrimaryKey, RowChange> change) {
    Ground.write(ground.tables(), TABLE, ROWS, row -> change.apply(Ground.spread(row)));
  }
}
