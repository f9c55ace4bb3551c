package io.tunnel.bench.conditions;

import com.sun.management.OperatingSystemMXBean;
import io.tunnel.condition.Condition;
import io.tunnel.model.Durability;
import io.tunnel.model.Limits;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Returning;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowRange;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * What conditions, returned columns, a time to live and bound rows cost and save: scans and writes
 * of one table in turns, with the processor time of server and client together, which share this
 * process. One row in a thousand matches the filter. Arguments: an empty directory, the number of
 * rows, the number of turns; the first turn warms up.
 */
public final class ConditionMain {

  private static final String TABLE = "orders";
  private static final String OF_A_DAY = "living";
  private static final String OF_A_SECOND = "expired";
  private static final String OF_SESSIONS = "members";
  private static final int BATCH_ROWS = 5_000;
  private static final int MATCHING = 1_000;

  private final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final TableClient tables;
  private final int rows;

  private ConditionMain(TableClient tables, int rows) {
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
      ConditionMain run = new ConditionMain(tables, Integer.parseInt(args[1]));
      run.create();
      run.turns(Integer.parseInt(args[2]));
    }
  }

  private void create() {
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    TableOptions options = new TableOptions(Durability.OS);
    var unused = tables.createTable(new TableMeta(TABLE, key, options), List.of());
    TableOptions day = options.withTtl(Duration.ofDays(1));
    unused = tables.createTable(new TableMeta(OF_A_DAY, key, day), List.of());
    TableOptions second = options.withTtl(Duration.ofSeconds(1));
    unused = tables.createTable(new TableMeta(OF_A_SECOND, key, second), List.of());
    for (String table : List.of(TABLE, OF_A_DAY, OF_A_SECOND)) {
      var unusedToo = write(table, row -> row);
    }
    unused = tables.createTable(new TableMeta(OF_SESSIONS, key, options), List.of());
    var unusedToo = write(OF_SESSIONS, row -> row);
    List<RowChange> bound = new ArrayList<>();
    for (int id = 0; id < Limits.SESSION_ROWS_MAX; id++) {
      bound.add(row(rows + id));
    }
    // Open until the client closes.
    RowSession session = tables.openSession(Duration.ofHours(1));
    session.write(OF_SESSIONS, bound);
  }

  /** Writes each row once, as {@code as} makes its change; returns how many were applied. */
  private long write(UnaryOperator<RowChange> as) {
    return write(TABLE, as);
  }

  private long write(String table, UnaryOperator<RowChange> as) {
    long applied = 0;
    for (int from = 0; from < rows; from += BATCH_ROWS) {
      List<RowChange> batch = new ArrayList<>();
      for (int id = from; id < Math.min(rows, from + BATCH_ROWS); id++) {
        batch.add(as.apply(row(id)));
      }
      applied +=
          tables.tryWrite(table, batch).results().stream()
              .filter(row -> row.outcome() == Outcome.APPLIED)
              .count();
    }
    return applied;
  }

  private static RowChange ifThere(RowChange row) {
    return new RowPutChange(
        row.primaryKey(), ((RowPutChange) row).columns(), RowExistenceExpectation.EXPECT_EXIST);
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
    Map<String, LongSupplier> work = new LinkedHashMap<>();
    work.put("all rows", () -> count(all));
    work.put("all rows, judged at the client", () -> judgedHere(all));
    work.put("filtered at the server", () -> count(all.where(Condition.parse("state = 7"))));
    work.put("one column of four", () -> count(all.withColumns("state")));
    work.put("all rows with commit times", () -> count(all.withCommitTimes()));
    Condition holds = Condition.parse("state < 1000 and exists note");
    Condition fails = Condition.parse("state >= 1000 and exists note");
    work.put("puts", () -> write(row -> row));
    work.put("puts with a time to live", () -> write(OF_A_DAY, row -> row));
    work.put("puts beside 1,000 bound rows", () -> write(OF_SESSIONS, row -> row));
    work.put("puts of rows most of which expired", () -> write(OF_A_SECOND, row -> row));
    work.put("puts of rows that are there", () -> write(ConditionMain::ifThere));
    Returning state = Returning.columns("state");
    work.put("puts that return a column", () -> write(row -> row.returning(state)));
    work.put("puts under a condition that holds", () -> write(row -> row.onlyIf(holds)));
    work.put("puts under a condition that fails", () -> write(row -> row.onlyIf(fails)));
    for (int turn = 0; turn < turns; turn++) {
      for (Map.Entry<String, LongSupplier> each : work.entrySet()) {
        long before = system.getProcessCpuTime();
        long found = each.getValue().getAsLong();
        long micros = TimeUnit.NANOSECONDS.toMicros(system.getProcessCpuTime() - before);
        System.out.printf(
            Locale.ROOT,
            "turn %d  %-34s  %,9d rows  %.3f us of processor time for each row of the table%n",
            turn,
            each.getKey(),
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
    Optional<ColumnValue> wanted = Optional.of(ColumnValue.fromLong(7));
    long count = 0;
    for (Row row : range) {
      count += wanted.equals(row.value("state")) ? 1 : 0;
    }
    return count;
  }
}
