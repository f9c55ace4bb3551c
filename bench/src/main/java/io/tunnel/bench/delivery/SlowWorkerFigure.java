package io.tunnel.bench.delivery;

import io.tunnel.bench.figures.Figure;
import java.util.List;

/** What a worker with 128 channels and slow processors needs of memory, in a heap of 256 MB. */
final class SlowWorkerFigure implements Figure<Bed> {

  private static final int PARTITIONS = 128;
  private static final long BACKLOG_ROWS = 2_000_000;
  private static final long BACKLOG_ROWS_PER_SECOND = 100_000;
  private static final long CALLBACK_MS = 500;
  private static final long RUN_MS = 60_000;
  private static final double MIB = 1024.0 * 1024.0;

  @Override
  public String name() {
    return "slow";
  }

  @Override
  public void measure(Bed bed) throws Exception {
    String tunnelId = bed.newTunnel("slow", PARTITIONS);
    try (PacedWriter writer = new PacedWriter(bed, "slow", BACKLOG_ROWS_PER_SECOND)) {
      bed.await("the backlog is written", 300, () -> writer.acknowledged() >= BACKLOG_ROWS);
    }
    WorkerChild worker = WorkerChild.start(bed, tunnelId, "slow", CALLBACK_MS);
    bed.pause(RUN_MS);
    if (!worker.process().isAlive()) {
      throw new IllegalStateException("the worker died: " + worker.said());
    }
    worker.process().destroyForcibly();
    List<long[]> memory = worker.memory();
    long heap = memory.stream().mapToLong(each -> each[0]).max().orElseThrow();
    long direct = memory.stream().mapToLong(each -> each[1]).max().orElseThrow();
    bed.out().printf("channels                  %d%n", worker.firstNanos().size());
    bed.out().printf("rows processed            %d%n", memory.get(memory.size() - 1)[2]);
    bed.out().printf("live heap, largest        %.1f MiB%n", heap / MIB);
    bed.out().printf("direct buffers, largest   %.1f MiB%n", direct / MIB);
  }
}
