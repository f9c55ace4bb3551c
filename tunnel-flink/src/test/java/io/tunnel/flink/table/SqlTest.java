package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.table.CreateTableRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements of SQL against a real server, each test on a table of its own. */
class SqlTest {

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private static LocalServer server;

  private String table;

  @BeforeAll
  static void start() throws IOException {
    server = new LocalServer();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @BeforeEach
  void createTable(TestInfo test) {
    table = test.getTestMethod().orElseThrow().getName();
    server.create(
        table,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        PrimaryKeyValue.fromLong(100));
  }

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(long id, String name, long amount) {
    return new RowPutChange(
        key(id),
        List.of(
            new Column("name", ColumnValue.fromString(name)),
            new Column("amount", ColumnValue.fromLong(amount))));
  }

  private String with(String... options) {
    StringBuilder text = new StringBuilder("WITH ('connector'='tunnel', 'endpoint'='");
    text.append(server.endpoint()).append("', 'table'='").append(table).append('\'');
    for (String option : options) {
      text.append(", ").append(option);
    }
    return text.append(')').toString();
  }

  private SqlSession declared(SqlSession session, String... options) {
    var unused =
        session.run(
            "CREATE TABLE t (id BIGINT, name STRING, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) "
                + with(options));
    return session;
  }

  @Test
  void batch_reads_the_rows_that_exist() throws Exception {
    server.write(table, List.of(put(1, "a", 10), put(200, "b", 20), put(3, "c", 30)));
    server.write(table, List.of(new RowDeleteChange(key(3))));
    SqlSession sql = declared(SqlSession.batch());
    assertThat(sql.rows("SELECT * FROM t"))
        .containsExactlyInAnyOrder(Row.of(1L, "a", 10L), Row.of(200L, "b", 20L));
    assertThat(sql.rows("SELECT SUM(amount) FROM t")).containsExactly(Row.of(30L));
    assertThat(sql.rows("SELECT name FROM t WHERE id = 200")).containsExactly(Row.of("b"));
  }

  @Test
  void a_limit_reads_no_more_than_it_says() throws Exception {
    server.write(table, List.of(put(1, "a", 10), put(2, "b", 20), put(300, "c", 30)));
    SqlSession sql = declared(SqlSession.batch());
    assertThat(sql.rows("SELECT id FROM t LIMIT 2"))
        .containsExactlyInAnyOrder(Row.of(1L), Row.of(2L));
    assertThat(sql.plan("SELECT id FROM t LIMIT 2")).contains("limit=[2]").contains("range");
  }

  @Test
  void a_full_changelog_has_the_whole_row_before_and_after_an_update_of_one_column()
      throws Exception {
    server.write(table, List.of(put(1, "a", 10)));
    server.write(
        table,
        List.of(
            new RowUpdateChange(
                key(1), List.of(new ColumnUpdate.Put("amount", ColumnValue.fromLong(11))))));
    server.write(
        table, List.of(new RowUpdateChange(key(1), List.of(new ColumnUpdate.Delete("name")))));
    server.write(table, List.of(new RowDeleteChange(key(1)), new RowDeleteChange(key(7))));
    SqlSession sql =
        declared(SqlSession.streaming(), "'scan.mode'='stream'", "'scan.end'='latest'");
    assertThat(sql.rows("SELECT * FROM t"))
        .containsExactly(
            Row.ofKind(RowKind.INSERT, 1L, "a", 10L),
            Row.ofKind(RowKind.UPDATE_BEFORE, 1L, "a", 10L),
            Row.ofKind(RowKind.UPDATE_AFTER, 1L, "a", 11L),
            Row.ofKind(RowKind.UPDATE_BEFORE, 1L, "a", 11L),
            Row.ofKind(RowKind.UPDATE_AFTER, 1L, null, 11L),
            Row.ofKind(RowKind.DELETE, 1L, null, 11L));
    assertThat(sql.rows("SELECT amount FROM t"))
        .containsExactly(
            Row.ofKind(RowKind.INSERT, 10L),
            Row.ofKind(RowKind.UPDATE_BEFORE, 10L),
            Row.ofKind(RowKind.UPDATE_AFTER, 11L),
            Row.ofKind(RowKind.DELETE, 11L));
  }

  @Test
  void appended_changes_have_their_type_position_time_and_partition() throws Exception {
    server.write(table, List.of(put(1, "a", 10)));
    server.write(
        table,
        List.of(
            new RowUpdateChange(
                key(1), List.of(new ColumnUpdate.Put("amount", ColumnValue.fromLong(11))))));
    server.write(table, List.of(new RowDeleteChange(key(1))));
    SqlSession sql = SqlSession.streaming();
    var unused =
        sql.run(
            "CREATE TABLE t (id BIGINT, name STRING, amount BIGINT,"
                + " kind STRING METADATA FROM 'change_type' VIRTUAL,"
                + " pos BIGINT METADATA FROM 'position' VIRTUAL,"
                + " ts TIMESTAMP_LTZ(3) METADATA FROM 'commit_time' VIRTUAL,"
                + " part INT METADATA FROM 'partition' VIRTUAL,"
                + " WATERMARK FOR ts AS SOURCE_WATERMARK()) "
                + with("'scan.mode'='stream'", "'scan.end'='latest'"));
    List<Row> rows = sql.rows("SELECT kind, id, name, amount, part FROM t");
    int partition = (int) rows.get(0).getField(4);
    assertThat(rows)
        .containsExactly(
            Row.of("PUT", 1L, "a", 10L, partition),
            Row.of("UPDATE", 1L, null, 11L, partition),
            Row.of("DELETE", 1L, null, null, partition));
    List<Row> positions = sql.rows("SELECT pos, ts > TO_TIMESTAMP_LTZ(0, 3) FROM t");
    assertThat(positions).hasSize(3).allMatch(row -> row.getFieldAs(1).equals(true));
    assertThat((long) positions.get(0).getFieldAs(0))
        .isLessThan((long) positions.get(1).getFieldAs(0));
    assertThat(
            sql.rows(
                "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' DAY))"
                    + " GROUP BY window_start, window_end"))
        .containsExactly(Row.of(3L));
  }

  @Test
  void a_delete_by_which_a_row_has_expired_has_its_cause() throws Exception {
    table = "expiring";
    var unused =
        server
            .client()
            .createTable(
                CreateTableRequest.builder(table)
                    .key("id", PrimaryKeyType.INTEGER)
                    .ttl(Duration.ofSeconds(1))
                    .build());
    server.write(table, List.of(put(1, "a", 10), put(2, "b", 20)));
    server.write(table, List.of(new RowDeleteChange(key(2))));
    SqlSession sql = SqlSession.streaming();
    var unusedToo =
        sql.run(
            "CREATE TABLE t (id BIGINT,"
                + " kind STRING METADATA FROM 'change_type' VIRTUAL,"
                + " cause STRING METADATA FROM 'delete_cause' VIRTUAL) "
                + with("'scan.mode'='stream'", "'scan.end'='latest'"));
    List<Row> rows = List.of();
    while (rows.size() < 4) {
      rows = sql.rows("SELECT kind, id, cause FROM t");
    }
    assertThat(rows)
        .containsExactly(
            Row.of("PUT", 1L, null),
            Row.of("PUT", 2L, null),
            Row.of("DELETE", 2L, null),
            Row.of("DELETE", 1L, "EXPIRED"));
  }

  @Test
  void upserts_need_no_state_and_refuse_updates_of_single_columns() throws Exception {
    server.write(table, List.of(put(1, "a", 10), put(1, "a", 11), put(2, "b", 1)));
    server.write(table, List.of(new RowDeleteChange(key(2))));
    SqlSession sql =
        declared(
            SqlSession.streaming(),
            "'scan.mode'='stream'",
            "'scan.end'='latest'",
            "'scan.changelog'='upsert'");
    assertThat(sql.rows("SELECT SUM(amount) FROM t"))
        .last()
        .isEqualTo(Row.ofKind(RowKind.UPDATE_AFTER, 11L));
    server.write(
        table, List.of(new RowUpdateChange(key(1), List.of(new ColumnUpdate.Delete("name")))));
    assertThatThrownBy(() -> sql.drain("SELECT amount FROM t"))
        .rootCause()
        .hasMessageContaining("(id=1)")
        .hasMessageContaining("'full' can");
  }

  @Test
  void an_update_of_a_row_that_the_scan_never_saw_fails_with_its_key() throws Exception {
    server.write(table, List.of(put(1, "a", 10)));
    SqlSession sql =
        declared(SqlSession.streaming(), "'scan.mode'='stream'", "'scan.start'='latest'");
    Thread writer =
        new Thread(
            () -> {
              while (!Thread.currentThread().isInterrupted()) {
                server.write(
                    table,
                    List.of(new RowUpdateChange(key(1), List.of(new ColumnUpdate.Delete("name")))));
              }
            });
    writer.start();
    try {
      assertThatThrownBy(() -> sql.drain("SELECT amount FROM t"))
          .rootCause()
          .isInstanceOf(RowMismatchException.class)
          .hasMessageContaining("(id=1)")
          .hasMessageContaining("'base-and-stream'");
    } finally {
      writer.interrupt();
      writer.join();
    }
  }

  @Test
  void insert_put_and_update_write_what_they_say() throws Exception {
    SqlSession sql = declared(SqlSession.batch());
    sql.finish("INSERT INTO t VALUES (1, 'a', 10), (2, 'b', CAST(NULL AS BIGINT))");
    server.write(
        table,
        List.of(
            new RowUpdateChange(
                key(1), List.of(new ColumnUpdate.Put("more", ColumnValue.fromLong(5))))));
    var unused =
        sql.run(
            "CREATE TABLE u (id BIGINT, name STRING, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) "
                + with("'sink.write-mode'='update'"));
    sql.finish("INSERT INTO u (id, amount) VALUES (1, 12)");
    assertThat(server.client().getRow(table, key(1)).orElseThrow().columns())
        .containsExactlyInAnyOrder(
            new Column("name", ColumnValue.fromString("a")),
            new Column("amount", ColumnValue.fromLong(12)),
            new Column("more", ColumnValue.fromLong(5)));
    assertThat(server.client().getRow(table, key(2)).orElseThrow().columns())
        .containsExactly(new Column("name", ColumnValue.fromString("b")));
  }

  @Test
  void delete_and_update_statements_change_the_rows_that_they_find() throws Exception {
    server.write(
        table, List.of(put(1, "a", 10), put(2, "b", 20), put(3, "c", 30), put(400, "d", 40)));
    SqlSession sql = declared(SqlSession.batch());
    sql.finish("DELETE FROM t WHERE id = 2");
    assertThat(server.rows(table)).hasSize(3);
    sql.finish("DELETE FROM t WHERE amount > 30");
    sql.finish("UPDATE t SET amount = amount + 1 WHERE name <> 'c'");
    assertThat(sql.rows("SELECT * FROM t"))
        .containsExactlyInAnyOrder(Row.of(1L, "a", 11L), Row.of(3L, "c", 30L));
    assertThatThrownBy(() -> sql.run("UPDATE t SET id = 5 WHERE name = 'c'"))
        .hasStackTraceContaining("belongs to the PRIMARY KEY");
    sql.finish("DELETE FROM t");
    assertThat(server.rows(table)).isEmpty();
  }

  @Test
  void lookup_joins_find_rows_by_their_key_with_and_without_a_cache() throws Exception {
    server.write(table, List.of(put(1, "a", 10), put(2, "b", 20)));
    for (String options :
        List.of(
            "'lookup.async'='true'",
            "'lookup.async'='false'",
            "'lookup.cache'='PARTIAL', 'lookup.partial-cache.max-rows'='10'",
            "'lookup.async'='false', 'lookup.cache'='PARTIAL',"
                + " 'lookup.partial-cache.max-rows'='10'")) {
      SqlSession sql = declared(SqlSession.streaming(), options);
      var unused =
          sql.run(
              "CREATE TEMPORARY VIEW o AS SELECT *, PROCTIME() AS pt FROM"
                  + " (VALUES (1, 1, 'a'), (2, 2, 'x'), (3, 9, 'q'), (4, 1, 'a')) AS v(n, k, nm)");
      assertThat(
              sql.rows(
                  "SELECT o.n, t.amount FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.pt"
                      + " ON t.id = CAST(o.k AS BIGINT) AND t.name = o.nm"))
          .as(options)
          .containsExactlyInAnyOrder(
              Row.of(1, 10L), Row.of(2, null), Row.of(3, null), Row.of(4, 10L));
      assertThatThrownBy(
              () ->
                  sql.rows("SELECT o.n FROM o JOIN t FOR SYSTEM_TIME AS OF o.pt ON t.name = o.nm"))
          .hasStackTraceContaining("every column of its PRIMARY KEY [id]");
    }
  }

  /** Texts of keys have 1,024 bytes at most: as many of these characters are twice as long. */
  @Test
  void a_key_that_cannot_be_is_a_row_that_is_not_there() throws Exception {
    String names = table + "names";
    server.create(names, List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING)));
    String longest = "é".repeat(512);
    server.write(
        names,
        List.of(new RowPutChange(PrimaryKey.builder().add("name", longest).build(), List.of())));
    for (String isAsync : List.of("true", "false")) {
      SqlSession sql = named(SqlSession.streaming(), names, isAsync);
      var unused =
          sql.run(
              "CREATE TEMPORARY VIEW o AS SELECT *, PROCTIME() AS pt FROM (VALUES (1, '"
                  + longest
                  + "'), (2, '"
                  + longest
                  + "x')) AS v(n, nm)");
      assertThat(
              sql.rows(
                  "SELECT o.n, CHAR_LENGTH(t.name) FROM o LEFT JOIN t FOR SYSTEM_TIME AS OF o.pt"
                      + " ON t.name = o.nm"))
          .containsExactlyInAnyOrder(Row.of(1, 512), Row.of(2, null));
    }
    SqlSession batch = named(SqlSession.batch(), names, "true");
    batch.finish("DELETE FROM t WHERE name = '" + longest + "x'");
    assertThat(server.rows(names)).hasSize(1);
    batch.finish("DELETE FROM t WHERE name = '" + longest + "'");
    assertThat(server.rows(names)).isEmpty();
  }

  private static SqlSession named(SqlSession sql, String names, String isAsync) {
    var unused =
        sql.run(
            "CREATE TABLE t (name STRING, PRIMARY KEY (name) NOT ENFORCED) WITH ("
                + "'connector'='tunnel', 'endpoint'='"
                + server.endpoint()
                + "', 'table'='"
                + names
                + "', 'lookup.async'='"
                + isAsync
                + "')");
    return sql;
  }

  @Test
  void a_column_that_is_not_what_it_is_declared_to_be_is_named_with_its_row() {
    server.write(
        table,
        List.of(
            new RowPutChange(key(5), List.of(new Column("amount", ColumnValue.fromDouble(2))))));
    SqlSession sql = declared(SqlSession.batch());
    assertThatThrownBy(() -> sql.drain("SELECT amount FROM t"))
        .rootCause()
        .hasMessageContaining("column 'amount' of row (id=5) is DOUBLE, but is declared BIGINT");
  }

  @Test
  void a_key_that_is_not_the_tables_is_told_what_the_key_is() {
    server.write(table, List.of(put(1, "a", 10)));
    SqlSession sql = SqlSession.batch();
    var unused =
        sql.run(
            "CREATE TABLE t (name STRING, id BIGINT, PRIMARY KEY (name) NOT ENFORCED) " + with());
    assertThatThrownBy(() -> sql.drain("SELECT id FROM t"))
        .rootCause()
        .hasMessageContaining("is (id BIGINT)")
        .hasMessageContaining("declared is (name STRING)");
  }
}
