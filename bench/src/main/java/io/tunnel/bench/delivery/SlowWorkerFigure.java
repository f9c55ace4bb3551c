package io.tunnel.bench.delivery;

import io.tunnel.bench.children.TunnelServerChild;
import io.tunnel.bench.figures.Figure;
import io.tunnel.bench.figures.FigureSetup;
import java.util.List;

/** What a worker with 128 channels and slow processors needs of memory, in a heap of 256 MB. */
final class SlowWorkerFigure implements Figure<TunnelServerChild> {

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
  public void measure(FigureSetup<TunnelServerChild> setup) throws Exception {
    var unused = setup.newTable("slow", PARTITIONS);
    String tunnelId = setup.newTunnel("slow");
    try (PacedWriter writer = new PacedWriter(setup, "slow", BACKLOG_ROWS_PER_SECOND)) {
      setup.await("the backlog is written", 300, () -> writer.acknowledged() >= BACKLOG_ROWS);
    }
    WorkerChild worker = WorkerChild.start(setup, tunnelId, "slow", CALLBACK_MS);
    setup.pause(RUN_MS);
    if (!worker.process().isAlive()) {
      throw new IllegalStateException("the worker died: " + worker.said());
    }
    worker.process().destroyForcibly();
    List<long[]> memory = worker.memory();
    long heap = memory.stream().mapToLong(each -> each[0]).max().orElseThrow();
    long direct = memory.stream().mapToLong(each -> each[1]).max().orElseThrow();
    setup.out().printf("channels                  %d%n", worker.firstNanos().size());
    setup.out().printf("rows processed            %d%n", memory.get(memory.size() - 1)[2]);
    setup.out().printf("live heap, largest        %.1f MiB%n", heap / MIB);
    setup.out().printf("direct buffers, largest   %.1f MiB%n", direct / MIB);
  }
}
