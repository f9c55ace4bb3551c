package io.tunnel.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import io.tunnel.sdk.tunnel.CreateTunnelRequest;
import io.tunnel.sdk.tunnel.StreamTunnelConfig;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** What most programs need takes few words. */
class ShortFormsTest {

  private static final TableMeta USERS =
      new TableMeta("users", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));

  @AutoClose final InMemoryTunnelService service = InMemoryTunnelService.start();

  private static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(long id) {
    return new RowPutChange(key(id), List.of(new Column("v", ColumnValue.fromLong(id))));
  }

  @Test
  void a_table_of_one_partition_needs_no_split_points() {
    try (TableClient tables = TableClient.connect(service.endpoint())) {
      assertThat(tables.createTable(USERS).partitions()).hasSize(1);
    }
  }

  @Test
  void a_table_is_described_step_by_step() {
    CreateTableRequest request =
        CreateTableRequest.builder("orders")
            .key("region", PrimaryKeyType.STRING)
            .key("id", PrimaryKeyType.INTEGER)
            .durability(Durability.OS)
            .retention(Duration.ofDays(7))
            .retentionBytes(1 << 20)
            .splitPoint("g")
            .splitPoints(List.of(PrimaryKeyValue.fromString("p")))
            .build();
    try (TableClient tables = TableClient.connect(service.endpoint())) {
      var table = tables.createTable(request);
      assertThat(table.partitions()).hasSize(3);
      assertThat(table.meta().options())
          .isEqualTo(new TableOptions(Durability.OS, 7 * 86_400_000L, 1 << 20));
    }
    assertThatThrownBy(() -> CreateTableRequest.builder("keyless").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("primary-key columns");
  }

  @Test
  void a_time_that_is_longer_than_can_be_said_is_the_longest() {
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    assertThat(TableOptions.DEFAULT.withRetention(longest).retentionMs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void a_row_that_is_added_has_a_future_of_its_outcome() {
    try (TableClient tables = TableClient.connect(service.endpoint())) {
      tables.createTable(USERS);
      CompletableFuture<RowResult> applied;
      CompletableFuture<RowResult> rejected;
      try (TableWriter writer = tables.openWriter("users")) {
        applied = writer.add(put(1));
        rejected = writer.add(new RowDeleteChange(key(2), RowExistenceExpectation.EXPECT_EXIST));
      }
      assertThat(applied).isCompletedWithValueMatching(RowResult::isApplied);
      assertThat(rejected.join().outcome()).isEqualTo(Outcome.REJECTED);
      assertThat(rejected.join().error()).contains(ErrorCode.CONDITION_FAILED);
    }
  }

  @Test
  void a_row_that_was_not_applied_is_counted_when_nothing_depends_on_its_future() {
    try (TableClient tables = TableClient.connect(service.endpoint())) {
      tables.createTable(USERS);
      TableWriter writer = tables.openWriter("users");
      try (writer) {
        RowDeleteChange rejected =
            new RowDeleteChange(key(2), RowExistenceExpectation.EXPECT_EXIST);
        var unused = writer.add(put(1));
        var dropped = writer.add(rejected);
        var heard = writer.add(rejected).thenApply(RowResult::outcome);
        writer.add(rejected, (row, result) -> {});
        writer.flush();
        assertThat(dropped).isCompleted();
        assertThat(heard).isCompletedWithValue(Outcome.REJECTED);
      }
      assertThat(writer.unheardRows()).isEqualTo(1);
    }
  }

  @Test
  void the_warning_about_failed_rows_without_an_observer_names_the_first() {
    TableWriter.UnheardRows unheard = new TableWriter.UnheardRows("users");
    assertThat(unheard.text()).isEmpty();
    RowResult result =
        new RowResult(
            Outcome.REJECTED, 0, -1, Optional.of(ErrorCode.CONDITION_FAILED), "there is no row");
    unheard.add(put(7), result);
    unheard.add(put(8), result);
    assertThat(unheard.text())
        .contains(
            "2 rows of table 'users' not applied, and the program did not look at the outcome:"
                + " the first is (id=7), REJECTED CONDITION_FAILED: there is no row");
  }

  @Test
  void a_program_that_creates_what_it_needs_may_be_started_again() {
    CreateTableRequest users =
        CreateTableRequest.builder("users").key("id", PrimaryKeyType.INTEGER).splitPoint(9).build();
    CreateTunnelRequest audit = new CreateTunnelRequest("users", "audit", TunnelType.Stream);
    try (TableClient tables = TableClient.connect(service.endpoint());
        TunnelClient tunnels = new TunnelClient(service.endpoint())) {
      TableInfo first = tables.createTableIfAbsent(users);
      assertThat(first.partitions()).hasSize(2);
      assertThat(tables.createTableIfAbsent(users).partitions()).isEqualTo(first.partitions());
      String tunnelId = tunnels.createTunnelIfAbsent(audit).getTunnelId();
      assertThat(tunnels.createTunnelIfAbsent(audit).getTunnelId()).isEqualTo(tunnelId);
      assertRefused(
          ErrorCode.TABLE_EXISTS,
          () ->
              tables.createTableIfAbsent(
                  CreateTableRequest.builder("users").key("id", PrimaryKeyType.STRING).build()));
      assertRefused(
          ErrorCode.TUNNEL_EXISTS,
          () ->
              tunnels.createTunnelIfAbsent(
                  new CreateTunnelRequest("users", "audit", TunnelType.BaseData)));
      assertRefused(
          ErrorCode.TUNNEL_EXISTS,
          () ->
              tunnels.createTunnelIfAbsent(
                  new CreateTunnelRequest(
                      "users",
                      "audit",
                      TunnelType.Stream,
                      StreamTunnelConfig.LATEST.withEnd(Long.MAX_VALUE / 2))));
      assertRefused(
          ErrorCode.TABLE_NOT_FOUND,
          () ->
              tunnels.createTunnelIfAbsent(
                  new CreateTunnelRequest("nowhere", "audit", TunnelType.Stream)));
    }
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, refused -> assertThat(refused.code()).isEqualTo(code));
  }

  @Test
  void a_worker_finds_its_tunnel_by_the_names() {
    Queue<Long> seen = new ConcurrentLinkedQueue<>();
    service.createTable(USERS);
    TunnelWorkerConfig config =
        new TunnelWorkerConfig(
            input ->
                input
                    .getRecords()
                    .forEach(record -> seen.add(record.value("v").orElseThrow().asLong())));
    try (TunnelClient tunnels = new TunnelClient(service.endpoint());
        TunnelWorker worker = TunnelWorker.of("users", "audit", tunnels, config)) {
      assertRefused(ErrorCode.TUNNEL_NOT_FOUND, worker::connectAndWorking);
      service.createTunnel("users", "audit", TunnelType.Stream);
      service.write("users", put(7));
      worker.connectAndWorking();
      service.awaitProcessed("users", "audit");
    }
    assertThat(seen).containsExactly(7L);
  }

  @Test
  void a_worker_is_closed_by_a_try_and_its_processor_is_a_lambda() {
    Queue<Long> seen = new ConcurrentLinkedQueue<>();
    service.createTable(USERS);
    String tunnelId = service.createTunnel("users", "audit", TunnelType.Stream);
    service.write("users", put(7));
    TunnelWorkerConfig config =
        new TunnelWorkerConfig(
            input ->
                input
                    .getRecords()
                    .forEach(record -> seen.add(record.value("v").orElseThrow().asLong())));
    try (TunnelClient tunnels = new TunnelClient(service.endpoint())) {
      TunnelWorker worker = new TunnelWorker(tunnelId, tunnels, config);
      try (worker) {
        worker.connectAndWorking();
        service.awaitProcessed("users", "audit");
      }
      assertThat(worker.status().state()).isEqualTo(TunnelWorkerStatus.State.WORKER_ENDED);
    }
    assertThat(seen).containsExactly(7L);
  }

  @Test
  void a_worker_says_on_which_host_and_in_which_process_it_runs() {
    String tag = new TunnelWorkerConfig().getClientTag();
    assertThat(tag).endsWith("-" + ProcessHandle.current().pid()).matches("\\S+-\\d+");
    assertThat(HostTag.of("h".repeat(300), 42)).hasSize(203).endsWith("h-42");
    assertThat(HostTag.of("\n", 42)).isEqualTo("worker-42");
    assertThat(HostTag.of("db-7\n", 42)).isEqualTo("db-7-42");
  }
}
