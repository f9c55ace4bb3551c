package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.function.Function;

/** What a row costs the nodes and Kafka: a row that is put, and a row of which a column changes. */
final class RowCostFigure implements Figure<ClusterChildren> {

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
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    var unused = setup.newTable(TABLE, PARTITIONS);
    setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
    write(setup, FigureSetup::put);
    int nodes = setup.servers().names().size();
    setup.row(
        nodes + (nodes == 1 ? " node" : " nodes, one standby"),
        "rows/s",
        "CPU µs/row of nodes",
        "of Kafka");
    setup.rule(4);
    for (int round = 1; round <= ROUNDS; round++) {
      measure(setup, "PUT, round " + round, FigureSetup::put);
      measure(setup, "UPDATE, round " + round, RowCostFigure::update);
    }
  }

  private static RowChange update(PrimaryKey key) {
    return new RowUpdateChange(key, List.of(CHANGED));
  }

  private static void measure(
      FigureSetup<ClusterChildren> setup, String what, Function<PrimaryKey, RowChange> change) {
    ClusterChildren cluster = setup.servers();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    long started = setup.clock().nanos();
    write(setup, change);
    long written = setup.clock().nanos();
    // What is folded late belongs to the rows too.
    setup.pause(2_000);
    setup.row(
        what,
        ClusterRows.perSecond(ROWS, written - started),
        ClusterRows.microsPerRow(cluster.cpuNanos() - nodes, ROWS),
        ClusterRows.microsPerRow(cluster.brokerCpuNanos() - broker, ROWS));
  }

  private static void write(
      FigureSetup<ClusterChildren> setup, Function<PrimaryKey, RowChange> change) {
    ClusterRows.write(setup.tables(), TABLE, ROWS, row -> change.apply(ClusterRows.spread(row)));
  }
}
