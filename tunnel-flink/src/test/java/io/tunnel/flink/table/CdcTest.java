package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Changes of two tables through a join and an aggregate into a third, while the two go on changing:
 * at the end the third is what a computation over the two says.
 */
@Tag("proof-flink")
class CdcTest {

  private static final int CUSTOMERS = 8;
  private static final int ORDERS = 60;

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private LocalServer server;

  @BeforeEach
  void start() throws IOException {
    server = new LocalServer();
    server.create("customers", List.of(new PrimaryKeySchema("name", PrimaryKeyType.STRING)));
    server.create(
        "orders",
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        PrimaryKeyValue.fromLong(ORDERS / 2));
    server.create("totals", List.of(new PrimaryKeySchema("city", PrimaryKeyType.STRING)));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static PrimaryKey customer(Random random) {
    return PrimaryKey.builder().add("name", "c" + random.nextInt(CUSTOMERS)).build();
  }

  private static List<RowChange> customers(Random random, int changes) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      PrimaryKey key = customer(random);
      ColumnValue city = ColumnValue.fromString("city" + random.nextInt(3));
      rows.add(
          switch (random.nextInt(6)) {
            case 0 -> new RowDeleteChange(key);
            case 1, 2 -> new RowUpdateChange(key, List.of(new ColumnUpdate.Put("city", city)));
            default -> new RowPutChange(key, List.of(new Column("city", city)));
          });
    }
    return rows;
  }

  private static List<RowChange> orders(Random random, int changes) {
    List<RowChange> rows = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      PrimaryKey key = PrimaryKey.builder().add("id", random.nextInt(ORDERS)).build();
      ColumnValue amount = ColumnValue.fromLong(random.nextInt(1_000));
      ColumnValue customer = ColumnValue.fromString("c" + random.nextInt(CUSTOMERS));
      rows.add(
          switch (random.nextInt(6)) {
            case 0 -> new RowDeleteChange(key);
            case 1, 2 -> new RowUpdateChange(key, List.of(new ColumnUpdate.Put("amount", amount)));
            case 3 -> new RowUpdateChange(key, List.of(new ColumnUpdate.Delete("amount")));
            default ->
                new RowPutChange(
                    key, List.of(new Column("amount", amount), new Column("customer", customer)));
          });
    }
    return rows;
  }

  private String with(String table) {
    return " WITH ('connector'='tunnel', 'endpoint'='"
        + server.endpoint()
        + "', 'table'='"
        + table
        + "')";
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void the_table_that_a_job_keeps_is_what_a_batch_computes(long seed) throws Exception {
    Random random = new Random(seed);
    server.write("customers", customers(random, 40));
    server.write("orders", orders(random, 300));
    SqlSession sql = SqlSession.streaming();
    declare(sql);
    TableResult job =
        sql.run(
            "INSERT INTO totals SELECT c.city, COUNT(*), SUM(o.amount) FROM orders AS o"
                + " JOIN customers AS c ON o.customer = c.name GROUP BY c.city");
    for (int round = 0; round < 20; round++) {
      server.write("customers", customers(random, 5));
      server.write("orders", orders(random, 40));
    }
    Map<String, List<Object>> wanted = computed();
    Map<String, List<Object>> stored = totals();
    while (!stored.equals(wanted)
        && !job.getJobClient().orElseThrow().getJobStatus().get().isGloballyTerminalState()) {
      stored = totals();
    }
    job.getJobClient().orElseThrow().cancel().get();
    assertThat(stored).as("seed %d", seed).isEqualTo(wanted).isNotEmpty();
    requireBatchSays(wanted);
  }

  private void declare(SqlSession sql) {
    sql.run(
        "CREATE TABLE customers (name STRING, city STRING, PRIMARY KEY (name) NOT ENFORCED)"
            + with("customers"));
    sql.run(
        "CREATE TABLE orders (id BIGINT, customer STRING, amount BIGINT,"
            + " PRIMARY KEY (id) NOT ENFORCED)"
            + with("orders"));
    sql.run(
        "CREATE TABLE totals (city STRING, orders BIGINT, amount BIGINT,"
            + " PRIMARY KEY (city) NOT ENFORCED)"
            + with("totals"));
  }

  /** The same query in batch mode, over the rows that are there at the end. */
  private void requireBatchSays(Map<String, List<Object>> wanted) throws Exception {
    SqlSession sql = SqlSession.batch();
    declare(sql);
    Map<String, List<Object>> batch = new TreeMap<>();
    for (org.apache.flink.types.Row row :
        sql.rows(
            "SELECT c.city, COUNT(*), SUM(o.amount) FROM orders AS o"
                + " JOIN customers AS c ON o.customer = c.name GROUP BY c.city")) {
      batch.put(row.getFieldAs(0), Arrays.asList(row.getField(1), row.getField(2)));
    }
    assertThat(batch).isEqualTo(wanted);
  }

  private Map<String, List<Object>> computed() {
    Map<String, String> cities = new TreeMap<>();
    for (Row row : server.rows("customers")) {
      row.value("city")
          .ifPresent(
              city ->
                  cities.put(
                      row.primaryKey().getPrimaryKeyColumn(0).getValue().asString(),
                      city.asString()));
    }
    Map<String, List<Object>> totals = new TreeMap<>();
    for (Row row : server.rows("orders")) {
      String city = row.value("customer").map(ColumnValue::asString).map(cities::get).orElse(null);
      if (city != null) {
        Long amount = amount(row);
        totals.merge(city, Arrays.asList(1L, amount), CdcTest::sum);
      }
    }
    return totals;
  }

  private static List<Object> sum(List<Object> a, List<Object> b) {
    Object amount =
        a.get(1) == null
            ? b.get(1)
            : b.get(1) == null ? a.get(1) : (Object) ((Long) a.get(1) + (Long) b.get(1));
    return Arrays.asList((Long) a.get(0) + (Long) b.get(0), amount);
  }

  private Map<String, List<Object>> totals() {
    Map<String, List<Object>> totals = new TreeMap<>();
    for (Row row : server.rows("totals")) {
      totals.put(
          row.primaryKey().getPrimaryKeyColumn(0).getValue().asString(),
          Arrays.asList(row.value("orders").orElseThrow().asLong(), amount(row)));
    }
    return totals;
  }

  private static Long amount(Row row) {
    return row.value("amount").map(ColumnValue::asLong).orElse(null);
  }
}
