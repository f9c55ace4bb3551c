package io.tunnel.flink.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.fixtures.LocalServer;
import io.tunnel.model.ChannelType;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.checkpoint.ChannelPosition;
import io.tunnel.sdk.checkpoint.CheckpointSet;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.DeleteTunnelRequest;
import io.tunnel.sdk.tunnel.DescribeTunnelRequest;
import io.tunnel.sdk.tunnel.SeekTunnelRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The option 'tunnel' and SOURCE_WATERMARK(), against a real server and its tunnels. */
@SuppressWarnings("try") // Flink's iterators may be interrupted when they are closed.
@Tag("proof-flink")
class SqlTunnelTest {

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int LOOKS_MAX = 3_000;

  @RegisterExtension static final MiniClusterExtension CLUSTER = SqlSession.cluster();

  private static LocalServer server;
  private static TunnelClient tunnels;

  @BeforeAll
  static void start() throws IOException {
    server = new LocalServer();
    tunnels = new TunnelClient(server.endpoint());
  }

  @AfterAll
  static void stop() throws IOException {
    tunnels.close();
    server.close();
  }

  /** A table of two partitions: ids under 100, and the others. */
  private static void create(String table) {
    server.create(
        table,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        PrimaryKeyValue.fromLong(100));
  }

  private static void tunnel(String table, String name, TunnelType type) {
    tunnels.createTunnel(new CreateTunnelRequest(table, name, type, StreamStart.EARLIEST));
  }

  /** So many rows of each partition. */
  private static void write(String table, long amount, int rows) {
    List<RowChange> puts = new ArrayList<>();
    for (long id = 0; id < rows; id++) {
      for (long from : new long[] {0, 100}) {
        puts.add(
            new RowPutChange(
                PrimaryKey.builder().add("id", from + id).build(),
                List.of(new Column("amount", ColumnValue.fromLong(amount)))));
      }
    }
    server.write(table, puts);
  }

  private static SqlSession declared(SqlSession session, String table, String... options) {
    String more = options.length == 0 ? "" : ", " + String.join(", ", options);
    var unused =
        session.run(
            "CREATE TABLE t (id BIGINT, amount BIGINT) WITH ('connector'='tunnel', 'endpoint'='"
                + server.endpoint()
                + "', 'table'='"
                + table
                + "', 'scan.mode'='stream'"
                + more
                + ")");
    return session;
  }

  private static List<ChannelInfo> channels(String table, String tunnel) {
    return tunnels.describeTunnel(new DescribeTunnelRequest(table, tunnel)).getChannelInfos();
  }

  private static void eventually(Callable<Boolean> condition) throws Exception {
    for (int look = 0; !condition.call(); look++) {
      assertThat(look).as("looks").isLessThan(LOOKS_MAX);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  @Test
  void a_scan_begins_behind_a_tunnels_checkpoints_and_moves_them() throws Exception {
    create("orders");
    tunnel("orders", "flink", TunnelType.Stream);
    write("orders", 1, 10);
    List<ChannelPosition> positions =
        channels("orders", "flink").stream()
            .map(
                channel ->
                    new ChannelPosition(
                        channel.partition(), ChannelType.Stream, 4, Bytes.EMPTY, false))
            .toList();
    int tableId = server.client().partitionMap("orders").tableId();
    var unused =
        tunnels.seekTunnel(
            SeekTunnelRequest.toCheckpoints(
                "orders", "flink", new CheckpointSet(tableId, "orders", "flink", positions)));
    SqlSession sql =
        declared(SqlSession.streaming(), "orders", "'tunnel'='flink'", "'scan.start'='checkpoint'");
    TableResult result = sql.run("SELECT id FROM t");
    try (CloseableIterator<Row> rows = result.collect()) {
      List<Long> ids = new ArrayList<>();
      while (ids.size() < 12) {
        ids.add(rows.next().getFieldAs(0));
      }
      assertThat(ids)
          .containsExactlyInAnyOrder(4L, 5L, 6L, 7L, 8L, 9L, 104L, 105L, 106L, 107L, 108L, 109L);
      eventually(
          () ->
              channels("orders", "flink").stream()
                  .allMatch(channel -> channel.checkpointed() == 10));
      write("orders", 2, 5);
      for (int i = 0; i < 10; i++) {
        assertThat((long) rows.next().getFieldAs(0)).isBetween(0L, 104L);
      }
      eventually(
          () ->
              channels("orders", "flink").stream()
                  .allMatch(channel -> channel.checkpointed() == 15));

      tunnels.deleteTunnel(new DeleteTunnelRequest("orders", "flink"));
      write("orders", 3, 5);
      for (int i = 0; i < 10; i++) {
        assertThat((long) rows.next().getFieldAs(0)).isBetween(0L, 104L);
      }
    }
  }

  /** One declaration serves both modes. */
  @Test
  void batch_mode_reads_rows_of_a_table_that_has_a_tunnel_and_leaves_that_alone() throws Exception {
    create("both");
    tunnel("both", "flink", TunnelType.Stream);
    write("both", 7, 2);
    SqlSession sql = SqlSession.batch();
    var unused =
        sql.run(
            "CREATE TABLE t (id BIGINT, amount BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
                + " WITH ('connector'='tunnel', 'endpoint'='"
                + server.endpoint()
                + "', 'table'='both', 'tunnel'='flink')");
    assertThat(sql.rows("SELECT SUM(amount) FROM t")).containsExactly(Row.of(28L));
    sql.finish("DELETE FROM t WHERE amount = 7");
    assertThat(server.rows("both")).isEmpty();
    assertThat(channels("both", "flink")).allMatch(channel -> channel.checkpointed() == 0);
  }

  @Test
  void a_tunnel_that_cannot_be_used_is_named_with_those_that_can() {
    create("shops");
    create("clients");
    tunnel("clients", "theirs", TunnelType.Stream);
    assertThatThrownBy(
            () ->
                declared(SqlSession.streaming(), "shops", "'tunnel'='theirs'")
                    .drain("SELECT amount FROM t"))
        .hasStackTraceContaining(
            "table shops has no tunnel 'theirs' and no other; a tunnel of that name is of table"
                + " clients");
    tunnel("shops", "rows", TunnelType.BaseData);
    tunnel("shops", "good", TunnelType.Stream);
    assertThatThrownBy(
            () ->
                declared(
                        SqlSession.streaming(),
                        "shops",
                        "'tunnel'='goood'",
                        "'scan.start'='checkpoint'")
                    .drain("SELECT amount FROM t"))
        .hasStackTraceContaining("table shops has no tunnel 'goood'; it has good, rows");
    for (String start : List.of("checkpoint", "earliest")) {
      assertThatThrownBy(
              () ->
                  declared(
                          SqlSession.streaming(),
                          "shops",
                          "'tunnel'='rows'",
                          "'scan.start'='" + start + "'")
                      .drain("SELECT amount FROM t"))
          .as(start)
          .hasStackTraceContaining("tunnel rows has no progress in changes; one of type Stream");
    }
  }

  @Test
  void a_partition_without_changes_holds_back_source_watermarks_unless_it_may_be_idle()
      throws Exception {
    create("timed");
    write("timed", 1, 1);
    // The second partition has one change, long ago; the first goes on.
    String columns =
        "CREATE TABLE w (id BIGINT, ts TIMESTAMP_LTZ(3) METADATA FROM 'commit_time' VIRTUAL,"
            + " WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector'='tunnel', 'endpoint'='"
            + server.endpoint()
            + "', 'table'='timed', 'scan.mode'='stream'";
    SqlSession sql = SqlSession.streaming();
    var unused = sql.run(columns + ", 'scan.watermark.idle-timeout'='100ms')");
    TableResult result =
        sql.run(
            "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '0.001' SECOND))"
                + " GROUP BY window_start, window_end");
    try (CloseableIterator<Row> rows = result.collect()) {
      Thread writer =
          new Thread(
              () -> {
                while (!Thread.currentThread().isInterrupted()) {
                  server.write(
                      "timed",
                      List.of(
                          new RowPutChange(PrimaryKey.builder().add("id", 1L).build(), List.of())));
                  LockSupport.parkNanos(LOOK_NANOS);
                }
              });
      writer.start();
      try {
        for (int i = 0; i < 20; i++) {
          assertThat((long) rows.next().getFieldAs(0)).isPositive();
        }
      } finally {
        writer.interrupt();
        writer.join();
      }
    }
  }

  @Test
  void ends_before_starts_are_refused_with_their_options() {
    create("refused");
    assertThatThrownBy(
            () ->
                declared(
                        SqlSession.streaming(),
                        "refused",
                        "'scan.start'='timestamp'",
                        "'scan.start.timestamp-millis'='9'",
                        "'scan.end'='timestamp'",
                        "'scan.end.timestamp-millis'='8'")
                    .plan("SELECT id FROM t"))
        .rootCause()
        .isInstanceOf(ValidationException.class)
        .hasMessage("'scan.end.timestamp-millis' = 8 is before 'scan.start.timestamp-millis' = 9");
  }
}
