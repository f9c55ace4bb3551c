package io.tunnel.it.console;

import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.stress.LoadPlan;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WriterSink;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/**
 * A table of 128 partitions that is written all the time, with a tunnel whose workers consume it
 * and fail at one row, and a tunnel without workers.
 */
final class LoadedTable {

  static final int PARTITIONS = 128;
  static final String TABLE = "orders";
  static final String TUNNEL = "audit";

  /** A tunnel that nobody consumes. */
  static final String IDLE = "idle";

  /** A text that would run as a script if it were taken for markup. */
  static final String MARKUP = "<img src=x onerror=\"window.hacked = 1\">";

  private static final long ROWS_PER_SECOND = 1_000;
  private static final int WORKERS = 2;
  private static final int LONG_CHARS = 2_000_000;

  private final TestTable table = new TestTable(TABLE, PARTITIONS);
  private final TunnelClient tunnels;

  /** Fails at the row whose text is markup, and so shows where it stopped. */
  private record FailsAtMarkup() implements IChannelProcessor {
    @Override
    public void process(ProcessRecordsInput input) {
      input
          .getRecords()
          .forEach(
              row -> {
                if (row.toString().contains(MARKUP)) {
                  throw new IllegalStateException("cannot book " + MARKUP);
                }
              });
    }

    @Override
    public void shutdown() {}
  }

  private LoadedTable(TunnelClient tunnels) {
    this.tunnels = tunnels;
  }

  /** Makes it, and loads it until the stage is over. */
  static LoadedTable on(Stage stage, ServerProcess server) {
    LoadedTable made = new LoadedTable(stage.tunnels(server));
    TableClient tables = stage.tables(server);
    made.table.create(tables);
    tables.write(TABLE, List.of(strange(MARKUP, MARKUP), strange("b", "x".repeat(LONG_CHARS))));
    String tunnelId = made.table.createTunnel(made.tunnels, TUNNEL);
    made.table.createTunnel(made.tunnels, IDLE);
    for (int i = 0; i < WORKERS; i++) {
      TunnelWorkerConfig config = new TunnelWorkerConfig(new FailsAtMarkup());
      config.setClientTag("worker-" + i + MARKUP);
      config.setProcessAttemptsMax(1);
      TunnelWorker worker = new TunnelWorker(tunnelId, made.tunnels, config);
      worker.connectAndWorking();
      stage.closes(worker::shutdown);
    }
    made.write(stage, tables);
    return made;
  }

  private static RowPutChange strange(String id, String text) {
    return new RowPutChange(
        TestTable.key(0, id), List.of(new Column("<b>note</b>", ColumnValue.fromString(text))));
  }

  private void write(Stage stage, TableClient tables) {
    TableWriter writer = stage.closing(tables.openWriter(TABLE));
    SplittableRandom random = new SplittableRandom(1);
    long[] sequence = new long[1];
    LoadRun run =
        new LoadRun(
            new WriterSink(writer),
            new LoadPlan(
                List.of(() -> table.change(random, ++sequence[0])),
                OptionalLong.empty(),
                Optional.empty(),
                OptionalLong.of(ROWS_PER_SECOND)),
            new SystemClock(),
            (row, result, nowNanos) -> {});
    run.start(task -> new Thread(task, "load"));
    stage.closes(run::stop);
  }

  TunnelClient tunnels() {
    return tunnels;
  }
}
