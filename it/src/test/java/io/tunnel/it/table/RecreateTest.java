package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Ledger;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.Recorder;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.ledger.Written;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.RangeQuery;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.TunnelWorkerStatus.State;
import io.tunnel.sdk.table.PartitionInfo;
import io.tunnel.sdk.table.TableInfo;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A table is dropped, and made anew under its name, while a writer goes on. */
@Tag("proof-service")
class RecreateTest {

  private static final TestTable TABLE = new TestTable("orders", 4);
  private static final int ROWS = 500;

  @RegisterExtension final Stage stage = new Stage();

  private final List<Written> written = Collections.synchronizedList(new ArrayList<>());
  private final List<RowResult> failures = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean mustStop;

  private void write(TableClient client) {
    TableWriterConfig small =
        TableWriterConfig.DEFAULTS.withBatchBytesMax(2_000).withBufferBytesMax(20_000);
    try (TableWriter writer = client.openWriter("orders", small)) {
      for (long i = 0; !mustStop; i++) {
        long sequence = i;
        writer.add(
            TestTable.put(i * 7 % 4_000, "k", sequence),
            (row, result) -> {
              written.add(Written.of(sequence, Mutation.of(row), result));
              if (!result.isApplied()) {
                failures.add(result);
              }
            });
      }
    }
  }

  private void awaitRows(int more) {
    int target = written.size() + more;
    Poll.until("rows with an outcome", () -> written.size() >= target);
  }

  private static Set<Integer> partitionsOf(TableInfo table) {
    return table.partitions().stream().map(PartitionInfo::id).collect(Collectors.toSet());
  }

  @Test
  void a_row_is_in_the_table_that_it_was_acknowledged_for_or_refused_by_name() {
    ServerProcess server = stage.server();
    TableClient admin = stage.tables(server);
    Set<Integer> former = partitionsOf(TABLE.create(admin));
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> write(stage.tables(server)), task -> new Thread(task, "writer").start());
    awaitRows(ROWS);
    admin.dropTable("orders");
    Poll.until("a refusal", () -> !failures.isEmpty());
    Set<Integer> present = partitionsOf(TABLE.create(admin));
    awaitRows(ROWS);
    Poll.until(
        "rows in the new table",
        () ->
            List.copyOf(written).stream().filter(row -> present.contains(row.partition())).count()
                >= ROWS);
    mustStop = true;
    writing.join();

    assertThat(former).doesNotContainAnyElementsOf(present);
    assertThat(failures)
        .allSatisfy(
            result -> {
              assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
              assertThat(result.error()).contains(ErrorCode.TABLE_NOT_FOUND);
              assertThat(result.message()).isNotEmpty();
            });
    Map<String, Map<String, String>> expected = new TreeMap<>();
    for (Written row : List.copyOf(written)) {
      if (row.outcome() == Outcome.APPLIED) {
        assertThat(former.contains(row.partition()) || present.contains(row.partition())).isTrue();
        if (present.contains(row.partition())) {
          row.mutation().applyTo(expected);
        }
      }
    }
    assertThat(Ledger.rowsOf(admin, "orders", RangeQuery.ALL)).isEqualTo(expected);
    long changes =
        admin.describeTable("orders").partitions().stream()
            .mapToLong(partition -> partition.figures().orElseThrow().committed())
            .sum();
    assertThat(changes)
        .isEqualTo(
            written.stream()
                .filter(row -> row.outcome() == Outcome.APPLIED)
                .filter(row -> present.contains(row.partition()))
                .count());
  }

  @Test
  void a_table_made_anew_with_another_key_refuses_the_rows_of_the_former() {
    ServerProcess server = stage.server();
    TableClient admin = stage.tables(server);
    var former = TABLE.create(admin);
    TableClient client = stage.tables(server);
    client.write("orders", List.of(TestTable.put(1, "a", 1)));
    admin.dropTable("orders");
    TableMeta other =
        new TableMeta("orders", List.of(new PrimaryKeySchema("id", PrimaryKeyType.STRING)));
    TableInfo present = admin.createTable(other, List.of(PrimaryKeyValue.fromString("m")));
    assertThat(present.tableId()).isNotEqualTo(former.tableId());

    RowResult refused =
        client.tryWrite("orders", List.of(TestTable.put(1, "a", 2))).results().get(0);
    assertThat(refused.outcome()).isEqualTo(Outcome.REJECTED);
    assertThat(refused.error()).contains(ErrorCode.KEY_MISMATCH);
    assertThat(Ledger.rowsOf(admin, "orders", RangeQuery.ALL)).isEmpty();
  }

  @Test
  void a_worker_of_a_dropped_table_stops_and_says_why() {
    ServerProcess server = stage.server();
    TableClient admin = stage.tables(server);
    var table = TABLE.create(admin);
    assertThat(table.partitions()).hasSize(4);
    TunnelClient tunnels = stage.tunnels(server);
    String tunnelId = TABLE.createTunnel(tunnels, "audit");
    TunnelWorkerConfig config =
        TunnelWorkerConfig.builder()
            .processor(new Recorder())
            .heartbeatIntervalInSec(1)
            .heartbeatTimeoutInSec(1)
            .build();
    TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
    stage.closes(worker::shutdown);
    worker.connectAndWorking();
    admin.dropTable("orders");
    Poll.until("the worker halts", () -> worker.status().state() == State.WORKER_HALT);
    assertThat(worker.status().lastError().orElseThrow()).contains("tunnel audit was deleted");

    TunnelWorker late = new TunnelWorker(tunnelId, tunnels, new TunnelWorkerConfig(new Recorder()));
    stage.closes(late::shutdown);
    try {
      late.connectAndWorking();
      throw new AssertionError("a worker of no tunnel works");
    } catch (RefusedException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.TUNNEL_NOT_FOUND);
    }
  }
}
