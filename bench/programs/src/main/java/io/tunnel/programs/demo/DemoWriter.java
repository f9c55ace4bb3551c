package io.tunnel.programs.demo;

import io.tunnel.model.TableMeta;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.HashedKey;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.stress.LoadPlan;
import io.tunnel.stress.LoadRun;
import io.tunnel.stress.SystemClock;
import io.tunnel.stress.WriterSink;
import io.tunnel.stress.rows.RowSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The writing side of the demo: the table and its load, on threads of their own group. */
final class DemoWriter implements AutoCloseable {

  private final ThreadCpu cpu = new ThreadCpu("demo-writer");
  private final TableClient client;
  private final String table;
  private TableWriter writer;

  DemoWriter(String endpoint, String table) throws Exception {
    this.table = table;
    this.client = cpu.call(() -> TableClient.connect(endpoint));
  }

  /** Creates the table, split evenly. */
  TableInfo createTable(DemoLoad load, int partitions) throws Exception {
    TableMeta meta = new TableMeta(table, load.primaryKey());
    return cpu.call(() -> client.createTable(meta, HashedKey.splitPoints(partitions)));
  }

  /** Starts to write. */
  LoadRun start(DemoLoad load, DemoLedger ledger) throws Exception {
    writer = cpu.call(() -> client.openWriter(table, TableWriterConfig.DEFAULTS));
    SystemClock clock = new SystemClock();
    List<RowSource> sources =
        load.sources().stream().map(rows -> ledger.sent().of(rows, clock::nanos)).toList();
    LoadPlan plan = new LoadPlan(sources, load.rows(), Optional.empty(), OptionalLong.empty());
    LoadRun run = new LoadRun(new WriterSink(writer), plan, clock, ledger::completed);
    run.start(task -> cpu.thread(task, "demo-sender"));
    return run;
  }

  /** Drops the table. */
  void dropTable() {
    client.dropTable(table);
  }

  ThreadCpu cpu() {
    return cpu;
  }

  @Override
  public void close() {
    try {
      if (writer != null) {
        writer.close();
      }
    } finally {
      client.close();
    }
  }
}
