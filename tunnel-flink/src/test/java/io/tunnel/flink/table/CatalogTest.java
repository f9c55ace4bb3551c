package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ClientConfig;
import java.io.IOException;
import java.util.List;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.catalog.exceptions.CatalogException;
import org.apache.flink.table.catalog.exceptions.DatabaseNotExistException;
import org.apache.flink.table.catalog.exceptions.TableNotExistException;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class CatalogTest {

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private static LocalServer server;

  @BeforeAll
  static void start() throws IOException {
    server = new LocalServer();
    server.create(
        "orders",
        List.of(
            new PrimaryKeySchema("shop", PrimaryKeyType.STRING),
            new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
    server.create("empty", List.of(new PrimaryKeySchema("raw", PrimaryKeyType.BINARY)));
    for (int i = 0; i < 10; i++) {
      server.write(
          "orders",
          List.of(
              new RowPutChange(
                  PrimaryKey.builder().add("shop", "s").add("id", i).build(),
                  List.of(
                      new Column("amount", ColumnValue.fromDouble(i)),
                      new Column("paid", ColumnValue.fromBoolean(i > 5)),
                      new Column(i < 5 ? "low" : "high", ColumnValue.fromLong(i)),
                      new Column(
                          "mixed",
                          i == 7 ? ColumnValue.fromLong(1) : ColumnValue.fromString("x"))))));
    }
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static SqlSession session(SqlSession sql, String more) {
    sql.run(
        "CREATE CATALOG c WITH ('type'='tunnel', 'endpoint'='"
            + server.endpoint()
            + "'"
            + more
            + ")");
    sql.run("USE CATALOG c");
    return sql;
  }

  @Test
  void tables_are_listed_and_described_and_read() throws Exception {
    SqlSession sql = session(SqlSession.batch(), "");
    assertThat(sql.rows("SHOW DATABASES")).containsExactly(Row.of("default"));
    assertThat(sql.rows("SHOW TABLES")).containsExactly(Row.of("empty"), Row.of("orders"));
    assertThat(sql.rows("DESCRIBE orders"))
        .extracting(row -> row.getField(0) + " " + row.getField(1) + " " + row.getField(2))
        .containsExactly(
            "shop STRING false",
            "id BIGINT false",
            "amount DOUBLE true",
            "high BIGINT true",
            "low BIGINT true",
            "paid BOOLEAN true");
    assertThat(sql.rows("DESCRIBE `empty`")).hasSize(1);
    assertThat(sql.rows("SELECT COUNT(*), SUM(amount) FROM orders WHERE paid"))
        .containsExactly(Row.of(4L, 30.0));
    sql.finish("INSERT INTO `empty` VALUES (x'0102')");
    assertThat(server.rows("empty")).hasSize(1);
  }

  @Test
  void a_sample_of_no_rows_knows_the_key_alone() throws Exception {
    SqlSession sql = session(SqlSession.batch(), ", 'sample-rows-max'='0'");
    assertThat(sql.rows("DESCRIBE orders")).hasSize(2);
    SqlSession few = session(SqlSession.batch(), ", 'sample-rows-max'='2'");
    assertThat(few.rows("DESCRIBE orders"))
        .extracting(row -> row.getField(0))
        .containsExactly("shop", "id", "amount", "high", "low", "mixed", "paid");
  }

  @Test
  void options_of_a_query_are_given_by_hints() throws Exception {
    SqlSession sql = session(SqlSession.streaming(), "");
    assertThat(sql.rows("SELECT id FROM orders /*+ OPTIONS('scan.mode'='base') */")).hasSize(10);
  }

  @Test
  void what_is_not_there_is_a_typed_error() {
    TunnelCatalog catalog = open("c", 10);
    try {
      assertThatThrownBy(() -> catalog.getTable(new ObjectPath("default", "missing")))
          .isInstanceOf(TableNotExistException.class);
      assertThatThrownBy(() -> catalog.getTable(new ObjectPath("other", "orders")))
          .isInstanceOf(TableNotExistException.class);
      assertThatThrownBy(() -> catalog.listTables("other"))
          .isInstanceOf(DatabaseNotExistException.class);
      assertThat(catalog.tableExists(new ObjectPath("default", "orders"))).isTrue();
      assertThat(catalog.tableExists(new ObjectPath("default", "missing"))).isFalse();
    } finally {
      catalog.close();
    }
    assertThatThrownBy(() -> catalog.listTables("default")).isInstanceOf(CatalogException.class);
  }

  private static TunnelCatalog open(String name, int rows) {
    TunnelCatalog catalog = new TunnelCatalog(name, ClientConfig.of(server.endpoint()), rows);
    catalog.open();
    return catalog;
  }

  @Test
  void what_it_cannot_do_says_what_can() {
    SqlSession sql = session(SqlSession.batch(), "");
    assertThatThrownBy(() -> sql.run("CREATE TABLE x (id BIGINT) WITH ('connector'='tunnel')"))
        .hasStackTraceContaining("cannot create default.x")
        .hasStackTraceContaining("./tunnel tables create");
    assertThatThrownBy(() -> sql.run("DROP TABLE orders"))
        .hasStackTraceContaining("./tunnel tables drop");
    assertThatThrownBy(() -> sql.run("CREATE DATABASE d"))
        .hasStackTraceContaining("there is one, 'default'");
    assertThatThrownBy(() -> sql.run("ALTER TABLE orders RENAME TO o"))
        .hasStackTraceContaining("keep their names");
  }

  @Test
  void wrong_options_of_a_catalog_are_named() {
    SqlSession sql = SqlSession.batch();
    assertThatThrownBy(
            () -> sql.run("CREATE CATALOG x WITH ('type'='tunnel', 'endpoint'='a:1', 'host'='b')"))
        .hasStackTraceContaining("host")
        .hasStackTraceContaining("sample-rows-max");
    assertThatThrownBy(() -> session(SqlSession.batch(), ", 'sample-rows-max'='-1'"))
        .hasStackTraceContaining("0 to 10000, not -1");
    assertThatThrownBy(
            () -> sql.run("CREATE CATALOG y WITH ('type'='tunnel', 'endpoint'='127.0.0.1:1')"))
        .hasStackTraceContaining("catalog 'y' at 127.0.0.1:1 cannot be opened");
  }
}
