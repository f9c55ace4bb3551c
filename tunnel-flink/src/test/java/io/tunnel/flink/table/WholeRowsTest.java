package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.Durability;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.server.config.ServerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whole changelogs of tables that are written by updates of single columns. */
@SuppressWarnings("try") // What collects may be interrupted when it closes.
class WholeRowsTest {

  private static final long LOOK_NANOS = 10_000_000;
  private static final int LOOKS_MAX = 3_000;

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    server = new LocalServer(new ServerConfig.LogConfig(1, 1 << 16, 100));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private void create(TableOptions options) {
    var unused =
        server
            .client()
            .createTable(
                new TableMeta(
                    "t", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)), options),
                List.of());
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(long id, long n, String text) {
    return new RowPutChange(
        key(id),
        List.of(
            new Column("owner", ColumnValue.fromLong(id)),
            new Column("n", ColumnValue.fromLong(n)),
            new Column("m", ColumnValue.fromLong(n)),
            new Column("text", ColumnValue.fromString(text))));
  }

  private static RowUpdateChange update(long id, long n) {
    return new RowUpdateChange(
        key(id),
        List.of(
            new ColumnUpdate.Put("n", ColumnValue.fromLong(n)),
            new ColumnUpdate.Put("m", ColumnValue.fromLong(n))));
  }

  private SqlSession declared(String... options) {
    SqlSession sql = SqlSession.streaming();
    var unused =
        sql.run(
            "CREATE TABLE t (id BIGINT, owner BIGINT NOT NULL, n BIGINT, m BIGINT, PRIMARY KEY (id)"
                + " NOT ENFORCED) WITH ('connector'='tunnel', 'table'='t', 'endpoint'='"
                + server.endpoint()
                + "', "
                + String.join(", ", options)
                + ")");
    return sql;
  }

  private void trimmed() {
    create(new TableOptions(Durability.OS, 0, 1));
    server.write("t", List.of(put(1, 1, "")));
    // Enough that the segment of the first change is full and goes.
    String filling = "x".repeat(1_000);
    for (int from = 2; from < 300; from += 50) {
      server.write(
          "t", LongStream.range(from, from + 50).mapToObj(id -> put(id, 1, filling)).toList());
    }
    for (int look = 0; earliest() == 0; look++) {
      assertThat(look).as("looks").isLessThan(LOOKS_MAX);
      LockSupport.parkNanos(LOOK_NANOS);
    }
    // What is left stays, so that nothing goes between the finding of positions and the reading.
    var unused = server.client().alterTable("t", new OptionsChange().withRetentionBytes(0));
  }

  private long earliest() {
    return server.client().findPositions("t", Optional.empty()).partitions().get(0).earliest();
  }

  @Test
  void an_update_whose_put_is_not_kept_any_more_fails_and_says_what_to_do() throws Exception {
    trimmed();
    server.write("t", List.of(update(1, 2)));
    SqlSession stream = declared("'scan.mode'='stream'", "'scan.end'='latest'");
    assertThatThrownBy(() -> stream.drain("SELECT owner + n FROM t"))
        .hasStackTraceContaining("(id=1)")
        .hasStackTraceContaining("'scan.mode' = 'base-and-stream' reads the rows first");
    assertThat(stream.rows("SELECT n FROM t WHERE id = 1"))
        .as("the update has all columns that are read")
        .containsExactly(Row.of(2L));
    SqlSession rows = declared("'scan.mode'='base-and-stream'", "'scan.end'='latest'");
    assertThat(rows.rows("SELECT id, n FROM t WHERE id = 1")).containsExactly(Row.of(1L, 2L));
  }

  @Test
  void where_everything_is_kept_an_update_may_make_a_row() throws Exception {
    create(new TableOptions(Durability.OS));
    server.write("t", List.of(put(1, 1, ""), update(1, 2)));
    SqlSession stream = declared("'scan.mode'='stream'", "'scan.end'='latest'");
    assertThat(stream.rows("SELECT id, n FROM t"))
        .containsExactly(
            Row.ofKind(RowKind.INSERT, 1L, 1L),
            Row.ofKind(RowKind.UPDATE_BEFORE, 1L, 1L),
            Row.ofKind(RowKind.UPDATE_AFTER, 1L, 2L));
  }

  /** Owner is the key in every row that there ever was, and n and m are the same. */
  @Test
  void rows_that_are_updated_and_deleted_before_their_turn_comes_do_not_fail_the_job()
      throws Exception {
    create(new TableOptions(Durability.OS));
    int rows = 400;
    String filling = "x".repeat(1_000);
    for (long from = 0; from < rows; from += 50) {
      server.write(
          "t", LongStream.range(from, from + 50).mapToObj(id -> put(id, 0, filling)).toList());
    }
    AtomicBoolean isEnding = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              Random random = new Random(1);
              for (long n = 1; !isEnding.get(); n++) {
                List<RowChange> changes = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                  long id = random.nextInt(rows);
                  changes.add(update(id, n));
                  changes.add(new RowDeleteChange(key(id)));
                  changes.add(put(id, -n, filling));
                }
                server.write("t", changes);
              }
            });
    writer.start();
    Map<Object, Row> shown = new HashMap<>();
    SqlSession sql = declared("'scan.mode'='base-and-stream'");
    try (CloseableIterator<Row> changes = sql.run("SELECT * FROM t").collect()) {
      for (int seen = 0; seen < 5_000; seen++) {
        show(shown, changes.next());
      }
      isEnding.set(true);
      writer.join();
      Map<Object, Object> table = new HashMap<>();
      server.rows("t").forEach(row -> table.put(id(row), n(row)));
      while (!values(shown).equals(table)) {
        show(shown, changes.next());
      }
      assertThat(table).hasSize(rows);
    } finally {
      isEnding.set(true);
      writer.join();
    }
  }

  private static void show(Map<Object, Row> shown, Row row) {
    assertThat(row.getField("owner")).as("of %s", row).isEqualTo(row.getField("id"));
    assertThat(row.getField("n")).as("of %s", row).isEqualTo(row.getField("m"));
    if (row.getKind() == RowKind.INSERT || row.getKind() == RowKind.UPDATE_AFTER) {
      assertThat(shown.put(row.getField("id"), row)).isNull();
    } else {
      assertThat(shown.remove(row.getField("id"))).isNotNull();
    }
  }

  private static Map<Object, Object> values(Map<Object, Row> shown) {
    Map<Object, Object> values = new HashMap<>();
    shown.forEach((id, row) -> values.put(id, row.getField("n")));
    return values;
  }

  private static Object id(io.tunnel.model.Row row) {
    return row.primaryKey().getPrimaryKeyColumn(0).getValue().asLong();
  }

  private static Object n(io.tunnel.model.Row row) {
    return row.columns().stream()
        .filter(column -> column.getName().equals("n"))
        .findFirst()
        .orElseThrow()
        .getValue()
        .asLong();
  }
}
