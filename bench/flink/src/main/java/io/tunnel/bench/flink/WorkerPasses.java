package io.tunnel.bench.flink;

import io.tunnel.programs.bench.peer.TunnelReader;

/** One worker with its defaults for each pass, on a tunnel of its own. */
final class WorkerPasses implements PassRunner {

  private final LegOrder order;

  WorkerPasses(LegOrder order) {
    this.order = order;
  }

  @Override
  public void run(String name, RowCount count) throws Exception {
    LegOrder.Table table = order.table();
    try (TunnelReader reader =
        new TunnelReader(table.endpoint(), table.name(), order.look(), count)) {
      reader.start();
      count.await(reader::trouble, SECONDS_MAX);
    }
  }

  @Override
  public void close() {
    // Each pass closes what it opened.
  }
}
