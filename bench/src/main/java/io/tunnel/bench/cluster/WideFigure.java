package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.delivery.WorkerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** 128 partitions over the nodes, written as fast as they take it, read by four processes. */
final class WideFigure implements Figure<ClusterChildren> {

  private static final String TABLE = "wide";
  private static final int PARTITIONS = 128;
  private static final int WORKERS = 4;
  private static final long ROWS = 1_000_000;
  private static final long WARM_ROWS = 500_000;
  private static final int SECONDS_MAX = 240;
  private static final double MIB = 1 << 20;

  private final SplittableRandom random = new SplittableRandom(5);
  private long sequence;

  @Override
  public String name() {
    return "wide";
  }

  @Override
  public void measure(FigureSetup<ClusterChildren> setup) throws Exception {
    var unused = setup.newTable(TABLE, PARTITIONS);
    setup.await("an even share", SECONDS_MAX, () -> Survivors.isEven(setup, PARTITIONS));
    String tunnelId = setup.newTunnel(TABLE);
    List<WorkerChild> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          WorkerChild.start(
              setup.children(), setup.servers().endpoint(), tunnelId, "wide-" + i, 0));
    }
    write(setup, WARM_ROWS);
    awaitRows(setup, workers, WARM_ROWS);
    ClusterChildren cluster = setup.servers();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    long readers = cpu(workers);
    long started = setup.clock().nanos();
    write(setup, ROWS);
    long written = setup.clock().nanos();
    awaitRows(setup, workers, WARM_ROWS + ROWS);
    setup.row(PARTITIONS + " partitions, 3 nodes, 4 workers", "measured");
    setup.rule(2);
    setup.row("rows/s written", ClusterRows.perSecond(ROWS, written - started));
    setup.row("CPU µs/row of nodes", ClusterRows.microsPerRow(cluster.cpuNanos() - nodes, ROWS));
    setup.row(
        "CPU µs/row of Kafka", ClusterRows.microsPerRow(cluster.brokerCpuNanos() - broker, ROWS));
    setup.row("CPU µs/row of workers", ClusterRows.microsPerRow(cpu(workers) - readers, ROWS));
    for (WorkerChild worker : workers) {
      long[] last = worker.memory().get(worker.memory().size() - 1);
      setup.row(
          worker.tag() + ": MiB of live heap, of direct buffers, rows",
          ClusterRows.tenths(last[0] / MIB)
              + ", "
              + ClusterRows.tenths(last[1] / MIB)
              + ", "
              + last[2]);
    }
    workers.forEach(worker -> worker.process().destroyForcibly());
  }

  private static long cpu(List<WorkerChild> workers) {
    return workers.stream().mapToLong(WorkerChild::cpuNanos).sum();
  }

  private static void awaitRows(
      FigureSetup<ClusterChildren> setup, List<WorkerChild> workers, long rows) {
    setup.await("all rows are processed", SECONDS_MAX, () -> rows(workers) >= rows);
  }

  private static long rows(List<WorkerChild> workers) {
    return workers.stream()
        .map(WorkerChild::memory)
        .filter(memory -> !memory.isEmpty())
        .mapToLong(memory -> memory.get(memory.size() - 1)[2])
        .sum();
  }

  private void write(FigureSetup<ClusterChildren> setup, long rows) {
    ClusterRows.write(
        setup.tables(),
        TABLE,
        rows,
        row -> FigureSetup.put(FigureSetup.key(random.nextInt(), sequence++)));
  }
}
