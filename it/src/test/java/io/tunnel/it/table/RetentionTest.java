package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.RawClient;
import io.tunnel.it.process.RawWrite;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.OptionsChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.wire.Delivery;
import io.tunnel.wire.ErrorPayload;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.control.Control;
import io.tunnel.wire.control.Control.PartitionDescription;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import io.tunnel.wire.control.OperatorControl.AlterTable;
import io.tunnel.wire.control.SessionControl;
import io.tunnel.wire.control.SessionControl.Assignment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two tables in the same logs, one of which keeps little. */
@Tag("proof-service")
class RetentionTest {

  private static final int PLENTY = 1 << 20;
  private static final int CHANGES = 60;
  private static final int CHANGE_BYTES = 8_000;
  private static final long LIMIT_BYTES = 100_000;
  private static final long LEASE_MS = 60_000;
  private static final String CONFIG =
      "{\"log\":{\"shards\":1,\"segmentBytesMax\":65536,\"retentionCheckMs\":100}}";

  @RegisterExtension static final Stage STAGE = new Stage();

  @TempDir private Path directory;

  private ServerProcess server;
  private RawClient client;

  private void start() {
    client = STAGE.closing(RawClient.greeted(server.start()));
  }

  private TableDescription create(String name, TableOptions options) {
    TableMeta meta = new TableMeta(name, new TestTable(name, 1).meta().primaryKey(), options);
    return client.request(
        Operation.CREATE_TABLE, new Control.CreateTable(meta, List.of()), TableDescription.class);
  }

  private String createTunnel(String table) {
    return client
        .request(
            Operation.CREATE_TUNNEL,
            new Control.CreateTunnel(table, "lagging", TunnelType.Stream, StreamStart.EARLIEST),
            Control.TunnelInfo.class)
        .tunnelId();
  }

  private void write(TableDescription table, int changes) {
    Column value = new Column("v", ColumnValue.fromString("v".repeat(CHANGE_BYTES)));
    for (int i = 0; i < changes; i++) {
      RowPutChange row = new RowPutChange(TestTable.key(i, "row"), List.of(value));
      int partition = table.partitions().get(0).id();
      byte[] write = RawWrite.payload(table.meta(), table.tableId(), partition, List.of(row));
      assertThat(client.request(Operation.WRITE, write)).isNotEmpty();
    }
  }

  private PartitionDescription describe(TableDescription table) {
    return client
        .request(
            Operation.DESCRIBE_TABLE,
            new Control.TableName(table.meta().name()),
            TableDescription.class)
        .partitions()
        .get(0);
  }

  /** The first delivery of a tunnel's channel, or why there is none. */
  private Frame firstDelivery(String tunnelId) {
    SessionControl.SessionOpened session =
        client.request(
            Operation.OPEN_SESSION,
            new SessionControl.OpenSession(tunnelId, "raw", LEASE_MS, 0),
            SessionControl.SessionOpened.class);
    assertThat(session.sessionId()).isNotEmpty();
    Assignment held = Json.decode(client.awaitPush(Operation.ASSIGN).payload(), Assignment.class);
    client.credit(held, PLENTY);
    Optional<Frame> next;
    do {
      next = client.receive();
    } while (next.orElseThrow().operation() != Operation.DELIVER);
    return next.orElseThrow();
  }

  private int segments() {
    try (var files = Files.list(server.data().resolve("shard-0/log"))) {
      return (int) files.filter(file -> file.toString().endsWith(".log")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void a_lagging_tunnel_is_told_what_it_lost_and_the_table_beside_it_loses_nothing()
      throws IOException {
    Path config = Files.writeString(directory.resolve("config.json"), CONFIG);
    server =
        new ServerProcess(STAGE, directory.resolve("data"), List.of("--config", config.toString()));
    start();
    TableDescription small = create("small", new TableOptions(Durability.OS, 0, LIMIT_BYTES));
    TableDescription whole = create("whole", new TableOptions(Durability.OS));
    String smallTunnel = createTunnel("small");
    String wholeTunnel = createTunnel("whole");
    write(whole, 1);
    write(small, CHANGES);
    Poll.until(
        "changes beyond the limit go", () -> describe(small).changeBytes() < 3 * LIMIT_BYTES);
    PartitionDescription kept = describe(small);
    assertThat(kept.firstPosition()).isGreaterThan(1);
    assertThat(kept.changeBytes()).isGreaterThanOrEqualTo(LIMIT_BYTES);
    server.kill();
    start();
    // Of what was not synced all is there, since the machine went on.
    assertThat(describe(small).committed()).isEqualTo(CHANGES);
    long first = describe(small).firstPosition();
    assertThat(first).isGreaterThanOrEqualTo(kept.firstPosition());
    ErrorPayload lost = ErrorPayload.decode(firstDelivery(smallTunnel).payload());
    assertThat(lost.code()).isEqualTo(ErrorCode.HISTORY_LOST);
    assertThat(lost.message())
        .matches(
            "changes 1 to \\d+ of partition "
                + small.partitions().get(0).id()
                + " are no longer kept");
    assertThat(Delivery.decode(firstDelivery(wholeTunnel).payload()).batches()).isNotEmpty();
    assertThat(describe(whole).firstPosition()).isEqualTo(1);

    alterToForget(small);
    Poll.until("all history goes", () -> describe(small).changeBytes() == 0);
    // The first segment holds the other table's change.
    Poll.until("files go", () -> segments() == 2);
    assertThat(server.http("/metrics", 200)).contains("tunnel_log_segments_deleted_total");
    server.stop();
    start();
    PartitionDescription nothing = describe(small);
    assertThat(nothing.firstPosition()).isEqualTo(CHANGES + 1);
    assertThat(nothing.committed()).isEqualTo(CHANGES);
    assertThat(nothing.rowCount()).isEqualTo(CHANGES);
    write(small, 1);
    assertThat(describe(small).committed()).isEqualTo(CHANGES + 1);
    assertThat(describe(whole).changeBytes()).isGreaterThan(CHANGE_BYTES);
    server.stop();
  }

  private void alterToForget(TableDescription table) {
    OptionsChange change = new OptionsChange().withRetention(Duration.ofMillis(1));
    TableDescription altered =
        client.request(
            Operation.ALTER_TABLE,
            new AlterTable(table.meta().name(), change),
            TableDescription.class);
    assertThat(altered.meta().options()).isEqualTo(change.over(table.meta().options()));
    ErrorPayload unknown = client.refused(Operation.ALTER_TABLE, new AlterTable("unknown", change));
    assertThat(unknown.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    String negative =
        "{\"table\":\"small\",\"options\":{\"durability\":\"OS\",\"retentionMs\":-1}}";
    ErrorPayload refused =
        client.refused(Operation.ALTER_TABLE, negative.getBytes(StandardCharsets.UTF_8));
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(refused.message()).contains("at least 0");
  }
}
