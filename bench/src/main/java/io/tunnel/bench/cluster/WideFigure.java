package io.tunnel.bench.cluster;

import io.tunnel.bench.children.ClusterChildren;
import io.tunnel.bench.delivery.WorkerChild;
import io.tunnel.bench.figures.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** 128 partitions over the nodes, written as fast as they take it, read by four processes. */
final class WideFigure implements Figure<Ground> {

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
  public void measure(Ground ground) throws Exception {
    var unused = ground.newTable(TABLE, PARTITIONS);
    ground.await("an even share", SECONDS_MAX, () -> Survivors.isEven(ground, PARTITIONS));
    String tunnelId = ground.newTunnel(TABLE);
    List<WorkerChild> workers = new ArrayList<>();
    for (int i = 0; i < WORKERS; i++) {
      workers.add(
          WorkerChild.start(
              ground.children(), ground.cluster().endpoint(), tunnelId, "wide-" + i, 0));
    }
    write(ground, WARM_ROWS);
    awaitRows(ground, workers, WARM_ROWS);
    ClusterChildren cluster = ground.cluster();
    long nodes = cluster.cpuNanos();
    long broker = cluster.brokerCpuNanos();
    long readers = cpu(workers);
    long started = ground.clock().nanos();
    write(ground, ROWS);
    long written = ground.clock().nanos();
    awaitRows(ground, workers, WARM_ROWS + ROWS);
    ground.row(PARTITIONS + " partitions, 3 nodes, 4 workers", "measured");
    ground.rule(2);
    ground.row("rows/s written", Ground.perSecond(ROWS, written - started));
    ground.row("CPU µs/row of nodes", Ground.microsPerRow(cluster.cpuNanos() - nodes, ROWS));
    ground.row("CPU µs/row of Kafka", Ground.microsPerRow(cluster.brokerCpuNanos() - broker, ROWS));
    ground.row("CPU µs/row of workers", Ground.microsPerRow(cpu(workers) - readers, ROWS));
    for (WorkerChild worker : workers) {
      long[] last = worker.memory().get(worker.memory().size() - 1);
      ground.row(
          worker.tag() + ": MiB of live heap, of direct buffers, rows",
          Ground.tenths(last[0] / MIB) + ", " + Ground.tenths(last[1] / MIB) + ", " + last[2]);
    }
    workers.forEach(worker -> worker.process().destroyForcibly());
  }

  private static long cpu(List<WorkerChild> workers) {
    return workers.stream().mapToLong(WorkerChild::cpuNanos).sum();
  }

  private static void awaitRows(Ground ground, List<WorkerChild> workers, long rows) {
    ground.await("all rows are processed", SECONDS_MAX, () -> rows(workers) >= rows);
  }

  private static long rows(List<WorkerChild> workers) {
    return workers.stream()
        .map(WorkerChild::memory)
        .filter(memory -> !memory.isEmpty())
        .mapToLong(memory -> memory.get(memory.size() - 1)[2])
        .sum();
  }

  private void write(Ground ground, long rows) {
    Ground.write(
        ground.tables(), TABLE, rows, row -> Ground.put(Ground.key(random.nextInt(), sequence++)));
  }
}
