package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.StreamStart;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.WriteFailedException;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.engine.LocalEngine;
import io.tunnel.server.metrics.ServerMeters;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A log with a column that has the name of a key column. A server refuses such a write. A directory
 * that holds such a write opens, and its rows and changes are served.
 */
@Tag("proof-service")
class KeyNamedColumnTest {

  /** The second key column of the table. */
  private static final String NAME = "id";

  private static final long LONG_S = 60;

  @RegisterExtension final Stage stage = new Stage();

  private static Column named(long value) {
    return new Column(NAME, ColumnValue.fromLong(value));
  }

  private static List<RowChange> changes() {
    return List.of(
        new RowPutChange(TestTable.key(1, "a"), List.of(named(10))),
        TestTable.put(2, "b", 20),
        new RowUpdateChange(
            TestTable.key(2, "b"), List.of(new ColumnUpdate.Put(NAME, ColumnValue.fromLong(21)))));
  }

  /** Writes to a directory without a server, whose connections would refuse the rows. */
  private static void writeUnchecked(Path data, TableInfo table) throws IOException {
    BatchBuilder builder = new BatchBuilder(table.meta().primaryKey(), 256);
    for (RowChange change : changes()) {
      assertThat(builder.add(change)).isTrue();
    }
    int partition = table.partitions().get(0).id();
    byte[] array = builder.build(partition);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    CompletableFuture<WriteResult> told = new CompletableFuture<>();
    PendingWrite.Outcome outcome =
        new PendingWrite.Outcome() {
          @Override
          public void written(WriteResult result) {
            told.complete(result);
          }

          @Override
          public void refused(RefusedException reason) {
            told.completeExceptionally(reason);
          }
        };
    try (ServerMeters meters = new ServerMeters(() -> 0L);
        LocalEngine engine =
            new LocalEngine(data, ServerConfig.defaults(1), Disks.ofSystem(), meters)) {
      engine
          .ports()
          .partitions()
          .hosts()
          .of(partition)
          .write(new PendingWrite(batch, true, ColumnSizes.of(batch), true, outcome));
      assertThat(told.orTimeout(LONG_S, TimeUnit.SECONDS).join().appliedRows()).isEqualTo(3);
    }
  }

  private static void requireRows(TableClient tables) {
    assertThat(tables.getRow("orders", TestTable.key(1, "a")).orElseThrow().columns())
        .containsExactly(named(10));
    List<List<Column>> rows = new ArrayList<>();
    tables.getRange("orders", RangeQuery.ALL).forEach(row -> rows.add(row.columns()));
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0)).containsExactly(named(10));
    assertThat(rows.get(1))
        .containsExactlyInAnyOrder(named(21), new Column("v", ColumnValue.fromLong(20)));
  }

  /** A tunnel delivers {@code count} records, each of which has the column. */
  private static void requireDelivered(TunnelClient tunnels, TunnelType type, int count) {
    String id =
        tunnels
            .createTunnel(
                new CreateTunnelRequest("orders", "of-" + type, type, StreamStart.EARLIEST))
            .getTunnelId();
    List<Optional<ColumnValue>> seen = new CopyOnWriteArrayList<>();
    TunnelWorkerConfig config =
        new TunnelWorkerConfig(
            input ->
                input
                    .getRecords()
                    .forEach(
                        record ->
                            seen.add(
                                record.getColumns().stream()
                                    .filter(column -> column.getColumn().getName().equals(NAME))
                                    .map(column -> column.getColumn().getValue())
                                    .findFirst())));
    TunnelWorker worker = new TunnelWorker(id, tunnels, config);
    worker.connectAndWorking();
    try {
      Poll.until("the tunnel of " + type + " delivers", () -> seen.size() >= count);
      assertThat(seen).hasSize(count);
      assertThat(seen).filteredOn(Optional::isPresent).hasSize(2);
    } finally {
      worker.shutdown();
    }
  }

  @Test
  void a_log_with_a_column_named_as_a_key_column_opens_and_is_served() throws Exception {
    ServerProcess server = stage.server();
    TableClient tables = stage.tables(server);
    TableInfo table = new TestTable("orders", 1).create(tables);
    assertThatThrownBy(() -> tables.write("orders", changes().subList(0, 1)))
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining("has the name of a column of the table's key");
    server.stop();
    writeUnchecked(server.data(), table);
    server.start();
    requireRows(tables);
    TunnelClient tunnels = stage.closing(new TunnelClient(server.client()));
    requireDelivered(tunnels, TunnelType.Stream, 3);
    requireDelivered(tunnels, TunnelType.BaseData, 2);
    server.stop();
    Stage.delete(server.data().resolve("shard-0/table"));
    server.start();
    requireRows(tables);
    tables.write("orders", List.of(TestTable.put(3, "c", 30)));
    tables.write("orders", List.of(TestTable.put(1, "a", 11)));
    assertThat(tables.getRow("orders", TestTable.key(1, "a")).orElseThrow().columns())
        .containsExactly(new Column("v", ColumnValue.fromLong(11)));
  }
}
