package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.Row;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.apache.flink.table.functions.ScalarFunction;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Statements that fail when they have written some rows, and are started again by Flink. */
class RestartTest {

  private static final long ROWS = 20;
  private static final long LOOK_NANOS = 10_000_000;
  private static final int LOOKS_MAX = 3_000;

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  /** Of the statement, whose tasks are in this process. */
  private static final AtomicInteger FAILURES = new AtomicInteger();

  /** Whether the statement has written a row. */
  private static volatile BooleanSupplier hasWritten;

  private LocalServer server;
  private SqlSession sql;

  @BeforeEach
  void start() throws IOException {
    server = new LocalServer();
    FAILURES.set(0);
    sql = SqlSession.batch().restarting().function("fail_once", FailOnce.class);
    for (String table : List.of("t", "copy")) {
      server.create(table, List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
      var unused =
          sql.run(
              "CREATE TABLE "
                  + table
                  + " (id BIGINT, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH"
                  + " ('connector'='tunnel', 'endpoint'='"
                  + server.endpoint()
                  + "', 'table'='"
                  + table
                  + "')");
    }
    server.write("t", LongStream.rangeClosed(1, ROWS).mapToObj(RestartTest::put).toList());
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  private static RowPutChange put(long id) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column("amount", ColumnValue.fromLong(0))));
  }

  private long amount(long id) {
    Row row = server.client().getRow("t", put(id).primaryKey()).orElseThrow();
    return row.value("amount").orElseThrow().asLong();
  }

  /** An id as it is; at the last row fails once, when rows before it are written. */
  public static final class FailOnce extends ScalarFunction {
    private static final long serialVersionUID = 1L;

    /** Called by Flink. */
    public Long eval(Long id) {
      if (id == ROWS && FAILURES.get() == 0) {
        for (int look = 0; !hasWritten.getAsBoolean(); look++) {
          assertThat(look).as("looks").isLessThan(LOOKS_MAX);
          LockSupport.parkNanos(LOOK_NANOS);
        }
        FAILURES.incrementAndGet();
        throw new IllegalStateException("a failure that is meant");
      }
      return id;
    }

    @Override
    public boolean isDeterministic() {
      return false;
    }
  }

  @Test
  void an_update_is_not_applied_twice() {
    hasWritten = () -> amount(1) == 1;
    assertThatThrownBy(() -> sql.finish("UPDATE t SET amount = amount + 1 + fail_once(id) - id"))
        .hasStackTraceContaining("SuppressRestartsException")
        .hasStackTraceContaining("may have written some rows of table 't' already");
    assertThat(FAILURES).hasValue(1);
    assertThat(LongStream.rangeClosed(1, ROWS).map(this::amount).boxed())
        .contains(0L, 1L)
        .allMatch(amount -> amount <= 1);
  }

  @Test
  void a_delete_goes_on() throws Exception {
    hasWritten = () -> server.client().getRow("t", put(1).primaryKey()).isEmpty();
    sql.finish("DELETE FROM t WHERE fail_once(id) > 0");
    assertThat(FAILURES).hasValue(1);
    assertThat(server.rows("t")).isEmpty();
  }

  @Test
  void an_insert_goes_on() throws Exception {
    hasWritten = () -> server.client().getRow("copy", put(1).primaryKey()).isPresent();
    sql.finish("INSERT INTO copy SELECT fail_once(id), amount FROM t");
    assertThat(FAILURES).hasValue(1);
    assertThat(server.rows("copy")).hasSize((int) ROWS);
  }
}
