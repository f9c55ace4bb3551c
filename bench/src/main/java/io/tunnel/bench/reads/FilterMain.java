package io.tunnel.bench.reads;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.condition.Condition;
import io.tunnel.model.Durability;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowRange;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What a filter at the server saves: scans of one table in turns, with the processor time of server
 * and client together, which share this process. One row in a thousand matches. Arguments: an empty
 * directory, the number of rows, the number of turns; the first turn warms up.
 */
public final class FilterMain {

  private static final String TABLE = "orders";
  private static final int BATCH_ROWS = 5_000;
  private static final int MATCHING = 1_000;

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final TableClient tables;
  private final int rows;

  private FilterMain(TableClient tables, int rows) {
    this.tables = tables;
    this.rows = rows;
  }

  /** Runs the turns. */
  public static void main(String[] args) throws IOException {
    ServerConfig defaults = ServerConfig.defaults(2);
    ServerConfig config =
        new ServerConfig(
            new NetConfig("127.0.0.1", 0, 0, 1, 1_000, false),
            defaults.log(),
            defaults.shard(),
            defaults.table(),
            defaults.session(),
            defaults.base());
    try (Server server = Server.alone(Path.of(args[0]), config);
        TableClient tables = TableClient.connect("127.0.0.1:" + server.localAddress().getPort())) {
      FilterMain run = new FilterMain(tables, Integer.parseInt(args[1]));
      run.write();
      run.turns(Integer.parseInt(args[2]));
    }
  }

  private void write() {
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    var unused =
        tables.createTable(new TableMeta(TABLE, key, new TableOptions(Durability.OS)), List.of());
    for (int from = 0; from < rows; from += BATCH_ROWS) {
      List<RowChange> batch = new ArrayList<>();
      for (int id = from; id < Math.min(rows, from + BATCH_ROWS); id++) {
        batch.add(row(id));
      }
      write(batch);
    }
  }

  private void write(List<RowChange> batch) {
    var unused = tables.write(TABLE, batch);
  }

  private static RowChange row(int id) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(
            new Column("state", ColumnValue.fromLong(id % MATCHING)),
            new Column("customer", ColumnValue.fromString("customer " + id % 977)),
            new Column("price", ColumnValue.fromDouble(id / 8.0)),
            new Column("note", ColumnValue.fromString("as it was ordered, number " + id))));
  }

  private void turns(int turns) {
    RowRange all = tables.getRange(TABLE, RangeQuery.ALL);
    Map<String, LongSupplier> scans = new LinkedHashMap<>();
    scans.put("all rows", () -> count(all));
    scans.put("all rows, judged at the client", () -> judgedHere(all));
    scans.put("filtered at the server", () -> count(all.where(Condition.parse("state = 7"))));
    scans.put("one column of four", () -> count(all.withColumns("state")));
    scans.put("all rows with commit times", () -> count(all.withCommitTimes()));
    for (int turn = 0; turn < turns; turn++) {
      for (Map.Entry<String, LongSupplier> scan : scans.entrySet()) {
        long before = system.getProcessCpuTime();
        long found = scan.getValue().getAsLong();
        long micros = TimeUnit.NANOSECONDS.toMicros(system.getProcessCpuTime() - before);
        System.out.printf(
            Locale.ROOT,
            "turn %d  %-32s  %,9d rows  %.3f us of processor time for each row of the table%n",
            turn,
            scan.getKey(),
            found,
            (double) micros / rows);
      }
    }
  }

  private static long count(RowRange range) {
    long count = 0;
    for (Row row : range) {
      count += row.primaryKey() == null ? 0 : 1;
    }
    return count;
  }

  private static long judgedHere(RowRange range) {
    ColumnValue wanted = ColumnValue.fromLong(7);
    long count = 0;
    for (Row row : range) {
      count += wanted.equals(row.value("state")) ? 1 : 0;
    }
    return count;
  }
}
