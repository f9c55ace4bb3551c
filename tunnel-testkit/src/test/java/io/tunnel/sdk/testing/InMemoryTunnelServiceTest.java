package io.tunnel.sdk.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ChannelStatus;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.KnownPosition;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.Returning;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.PartitionReader;
import io.tunnel.sdk.PartitionReaderConfig;
import io.tunnel.sdk.ReadStart;
import io.tunnel.sdk.Returned;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TunnelClient;
import io.tunnel.sdk.TunnelWorker;
import io.tunnel.sdk.TunnelWorkerConfig;
import io.tunnel.sdk.processor.IChannelProcessor;
import io.tunnel.sdk.processor.ProcessRecordsInput;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.table.TableInfo;
import io.tunnel.sdk.tunnel.ChannelInfo;
import io.tunnel.sdk.tunnel.ResumeTunnelRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a test can make the service do, seen by the SDK's own clients. */
class InMemoryTunnelServiceTest {

  private static final String TABLE = "t";
  private static final String TUNNEL = "audit";

  private final Deque<AutoCloseable> open = new ArrayDeque<>();
  private final List<Long> processed = new ArrayList<>();
  private InMemoryTunnelService service;
  private TableClient tables;
  private TunnelClient tunnels;

  @BeforeEach
  void start() {
    service = closing(InMemoryTunnelService.start());
    tables = closing(TableClient.connect(service.endpoint()));
    tunnels = closing(new TunnelClient(service.endpoint()));
  }

  @AfterEach
  void close() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.push(resource);
    return resource;
  }

  private static TableMeta meta(Durability durability) {
    return new TableMeta(
        TABLE,
        List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
        new TableOptions(durability));
  }

  private static CreateTableRequest split(long at) {
    return CreateTableRequest.builder(TABLE)
        .key("id", PrimaryKeyType.INTEGER)
        .splitPoint(at)
        .build();
  }

  private static RowPutChange put(long id, long v) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", id).build(),
        List.of(new Column("v", ColumnValue.fromLong(v))));
  }

  private RowResult write(long id, long v) {
    BatchWriteResult result = tables.tryWrite(TABLE, List.of(put(id, v)));
    return result.results().get(0);
  }

  private TunnelWorker work(String tunnelId) {
    IChannelProcessor processor =
        new IChannelProcessor() {
          @Override
          public void process(ProcessRecordsInput input) {
            synchronized (processed) {
              input
                  .getRecords()
                  .forEach(record -> processed.add(record.value("v").orElseThrow().asLong()));
            }
          }

          @Override
          public void shutdown() {
            // Nothing is held.
          }
        };
    TunnelWorker worker =
        new TunnelWorker(
            tunnelId,
            tunnels,
            TunnelWorkerConfig.builder()
                .processor(processor)
                .checkpointIntervalInMillis(10)
                .build());
    open.push(worker::shutdown);
    worker.connectAndWorking();
    return worker;
  }

  @Test
  void rows_expire_when_time_passes_and_an_update_makes_a_new_row() {
    service.createTable(
        new TableMeta(
            "sessions",
            List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)),
            TableOptions.DEFAULT.withTtl(Duration.ofMinutes(30))));
    tables.write("sessions", List.of(put(1, 1), put(2, 2)));
    service.advance(Duration.ofMinutes(20));
    tables.write("sessions", List.of(put(2, 3)));
    service.advance(Duration.ofMinutes(10));
    assertThat(service.rows("sessions")).hasSize(1);
    tables.write(
        "sessions",
        List.of(
            new RowUpdateChange(
                PrimaryKey.builder().add("id", 1).build(),
                List.of(new ColumnUpdate.Increment("n", 1)))));
    assertThat(service.rows("sessions").get(0).columns())
        .containsExactly(new Column("n", ColumnValue.fromLong(1)));
    service.advance(Duration.ofHours(1));
    assertThat(service.rows("sessions")).isEmpty();
    assertThat(service.changes("sessions"))
        .extracting(
            change ->
                change.getRecordType()
                    + change.deletionCause().map(cause -> " " + cause).orElse(""))
        .containsExactly(
            "PUT", "PUT", "PUT", "DELETE EXPIRED", "UPDATE", "DELETE EXPIRED", "DELETE EXPIRED");
  }

  private List<Long> processed() {
    synchronized (processed) {
      return List.copyOf(processed);
    }
  }

  private ChannelInfo channel() {
    return service.channels(TABLE, TUNNEL).get(0);
  }

  private String streamOfOneChannel() {
    service.createTable(meta(Durability.FSYNC));
    return service.createTunnel(TABLE, TUNNEL, TunnelType.Stream);
  }

  @Test
  void what_a_test_writes_is_read_by_clients_and_the_other_way_round() {
    service.createTable(split(10));
    service.write(TABLE, put(11, 1), put(1, 2));
    assertThat(tables.getRow(TABLE, put(11, 1).primaryKey())).isPresent();
    assertThat(write(2, 3).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(service.rows(TABLE))
        .extracting(row -> row.value("v").orElseThrow().asLong())
        .containsExactly(2L, 3L, 1L);
    assertThat(service.changes(TABLE))
        .extracting(StreamRecord::position)
        .containsExactly(1L, 2L, 1L);
  }

  @Test
  void a_row_that_is_rejected_fails_the_test_that_writes_it() {
    service.createTable(meta(Durability.FSYNC));
    RowPutChange second =
        new RowPutChange(
            put(1, 1).primaryKey(),
            List.of(new Column("v", ColumnValue.fromLong(2))),
            RowExistenceExpectation.EXPECT_EXIST);
    assertThatThrownBy(() -> service.write(TABLE, second))
        .isInstanceOfSatisfying(
            RefusedException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.CONDITION_FAILED));
  }

  @Test
  void the_same_calls_have_the_same_results() {
    List<String> first = script();
    assertThat(script()).isEqualTo(first).isNotEmpty();
  }

  private static List<String> script() {
    try (InMemoryTunnelService fresh = InMemoryTunnelService.start()) {
      fresh.createTable(split(5));
      List<String> seen = new ArrayList<>();
      seen.add(fresh.createTunnel(TABLE, TUNNEL, TunnelType.BaseAndStream));
      for (int i = 0; i < 10; i++) {
        fresh.write(TABLE, put(i, i));
        fresh.advance(Duration.ofMillis(i));
      }
      fresh.changes(TABLE).forEach(change -> seen.add(change + " " + change.commitMicros()));
      seen.add(fresh.channels(TABLE, TUNNEL).toString());
      return seen;
    }
  }

  @Test
  void time_passes_when_it_is_told_to() {
    service.createTable(meta(Durability.FSYNC));
    Instant before = service.now();
    service.advance(Duration.ofHours(1));
    service.write(TABLE, put(1, 1));
    assertThat(service.now()).isBetween(before.plusSeconds(3_600), before.plusSeconds(3_601));
    assertThatThrownBy(() -> service.advance(Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_worker_that_lost_its_connection_goes_on_behind_its_checkpoint() {
    var unused = work(streamOfOneChannel());
    service.write(TABLE, put(1, 1), put(1, 2));
    service.awaitProcessed(TABLE, TUNNEL);
    long epoch = channel().epoch();
    service.loseConnections();
    service.write(TABLE, put(1, 3));
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(processed()).containsExactly(1L, 2L, 3L);
    assertThat(channel().epoch()).isGreaterThan(epoch);
  }

  @Test
  void a_write_that_is_refused_as_busy_is_tried_again_and_one_that_failed_is_in_doubt() {
    service.createTable(meta(Durability.FSYNC));
    service.refuseNext(ClientRequest.WRITE, ErrorCode.BUSY);
    assertThat(write(1, 1).outcome()).isEqualTo(Outcome.APPLIED);
    service.failNextWrites(1);
    assertThat(write(1, 2).outcome()).isEqualTo(Outcome.IN_DOUBT);
    assertThat(service.changes(TABLE)).hasSize(1);
  }

  @Test
  void a_write_whose_answer_is_lost_is_repeated_and_applied_once() {
    service.createTable(meta(Durability.FSYNC));
    service.loseAnswersOfNextWrites(3);
    assertThat(write(1, 1).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(write(1, 2).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(service.changes(TABLE))
        .extracting(change -> change.value("v").orElseThrow().asLong())
        .containsExactly(1L, 2L);
  }

  @Test
  void a_repeated_write_returns_its_first_columns_if_they_are_few_and_says_so_if_not() {
    service.createTable(meta(Durability.FSYNC));
    RowChange counted =
        new RowUpdateChange(put(1, 1).primaryKey(), List.of(new ColumnUpdate.Increment("v", 1)))
            .returning(Returning.columns("v", "t"));
    service.loseAnswersOfNextWrites(2);
    Returned returned = tables.tryWrite(TABLE, List.of(counted)).results().get(0).returned();
    assertThat(returned.row().orElseThrow().value("v")).hasValue(ColumnValue.fromLong(1));
    Column large = new Column("t", ColumnValue.fromString("x".repeat(5_000)));
    service.loseAnswersOfNextWrites(1);
    RowResult result =
        tables
            .tryWrite(
                TABLE,
                List.of(
                    new RowPutChange(put(1, 1).primaryKey(), List.of(large))
                        .returning(Returning.columns("t"))))
            .results()
            .get(0);
    assertThat(result.outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(result.returned().kind()).isEqualTo(Returned.Kind.NOT_KEPT);
    assertThat(service.changes(TABLE)).hasSize(2);
  }

  @Test
  void a_write_of_which_nobody_knows_is_in_doubt_and_applied_once() {
    service.createTable(meta(Durability.FSYNC));
    service.doubtNextWrites(1);
    assertThat(write(1, 1).outcome()).isEqualTo(Outcome.IN_DOUBT);
    assertThat(write(1, 2).outcome()).isEqualTo(Outcome.APPLIED);
    assertThat(service.changes(TABLE))
        .extracting(change -> change.value("v").orElseThrow().asLong())
        .containsExactly(1L, 2L);
  }

  @Test
  void a_delayed_request_is_served_when_its_time_has_passed() {
    service.createTable(meta(Durability.FSYNC));
    assertThat(write(1, 1).outcome()).isEqualTo(Outcome.APPLIED);
    service.delay(ClientRequest.WRITE, Duration.ofSeconds(3));
    CompletableFuture<BatchWriteResult> late = tables.tryWriteAsync(TABLE, List.of(put(1, 2)));
    service.awaitDelayed(1);
    assertThat(late).isNotDone();
    service.advance(Duration.ofSeconds(3));
    assertThat(late.join().allApplied()).isTrue();
  }

  @Test
  void what_is_held_back_is_delivered_when_it_is_released() {
    service.holdBack();
    var unused = work(streamOfOneChannel());
    service.write(TABLE, put(1, 1));
    service.awaitAssigned(TABLE, TUNNEL, 1);
    assertThat(channel().delivered()).isZero();
    service.release();
    service.awaitCheckpointed(TABLE, TUNNEL, channel().getChannelId(), 1);
    assertThat(processed()).containsExactly(1L);
  }

  @Test
  void a_reader_gets_nothing_until_what_is_held_back_is_released() throws InterruptedException {
    service.createTable(meta(Durability.FSYNC));
    service.write(TABLE, put(1, 1));
    TableInfo table = tables.partitionMap(TABLE);
    service.holdBack();
    try (PartitionReader reader =
        new PartitionReader(
            ClientConfig.of(service.endpoint()), table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(table.partitions().get(0).id(), 0));
      assertThat(reader.poll(Duration.ofMillis(500))).isEmpty();
      service.release();
      assertThat(reader.poll(Duration.ofSeconds(20))).isPresent();
    }
  }

  @Test
  void a_fenced_channel_comes_back_under_another_epoch() {
    TunnelWorker worker = work(streamOfOneChannel());
    service.awaitAssigned(TABLE, TUNNEL, 1);
    long epoch = channel().epoch();
    service.fence(channel().getChannelId());
    service.write(TABLE, put(1, 1));
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(channel().epoch()).isGreaterThan(epoch);
    assertThat(worker.status().counters().fenced()).isEqualTo(1);
  }

  @Test
  void a_broken_channel_waits_for_an_operator() {
    var unused = work(streamOfOneChannel());
    service.awaitAssigned(TABLE, TUNNEL, 1);
    service.breakChannel(channel().getChannelId(), ErrorCode.HISTORY_LOST);
    service.write(TABLE, put(1, 1));
    assertThat(channel().getChannelStatus()).isEqualTo(ChannelStatus.WAIT);
    assertThat(channel().error().orElseThrow()).contains("HISTORY_LOST");
    assertThat(tunnels.resumeTunnel(new ResumeTunnelRequest(TABLE, TUNNEL, List.of()))).isNotNull();
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(processed()).containsExactly(1L);
  }

  @Test
  void a_worker_whose_session_expires_opens_another() {
    var unused = work(streamOfOneChannel());
    service.awaitAssigned(TABLE, TUNNEL, 1);
    String first = service.sessions(TABLE, TUNNEL).get(0);
    service.expireSession(first);
    service.await(
        "another session",
        () ->
            service.sessions(TABLE, TUNNEL).size() == 1
                && !service.sessions(TABLE, TUNNEL).contains(first));
    service.advanceWithHeartbeats(Duration.ofHours(1));
    assertThat(service.sessions(TABLE, TUNNEL)).hasSize(1);
    service.advance(Duration.ofHours(1));
    assertThatThrownBy(() -> service.expireSession(first))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_crash_takes_sessions_and_no_acknowledged_row() {
    var unused = work(streamOfOneChannel());
    service.write(TABLE, put(1, 1));
    service.awaitProcessed(TABLE, TUNNEL);
    long epoch = channel().epoch();
    service.crashAndRestart();
    service.write(TABLE, put(2, 2));
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(processed()).containsExactly(1L, 2L);
    assertThat(service.rows(TABLE)).hasSize(2);
    assertThat(channel().epoch()).isGreaterThan(epoch);
  }

  @Test
  void a_power_loss_takes_what_was_not_synced_and_checkpoints_beyond_it() {
    service.createTable(meta(Durability.OS));
    var unused = work(service.createTunnel(TABLE, TUNNEL, TunnelType.Stream));
    service.write(TABLE, put(1, 1), put(1, 2));
    service.awaitProcessed(TABLE, TUNNEL);
    service.losePowerAndRestart();
    assertThat(service.rows(TABLE)).isEmpty();
    assertThat(service.checkpointed(TABLE, TUNNEL)).containsOnlyKeys(channel().getChannelId());
    assertThat(channel().checkpointed()).isZero();
    service.write(TABLE, put(1, 3));
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(processed()).containsExactly(1L, 2L, 3L);
  }

  @Test
  void readers_that_keep_positions_are_told_that_a_power_loss_took_what_they_know() {
    service.createTable(meta(Durability.OS));
    service.write(TABLE, put(1, 1));
    service.crashAndRestart();
    service.write(TABLE, put(1, 2), put(1, 3));
    TableInfo table = tables.partitionMap(TABLE);
    int partition = table.partitions().get(0).id();
    long incarnation =
        tables
            .findPositions(TABLE, Optional.empty())
            .partitions()
            .get(0)
            .incarnation()
            .orElseThrow();
    service.losePowerAndRestart();
    service.write(TABLE, put(1, 4), put(1, 5), put(1, 6), put(1, 7));
    ClientConfig client = ClientConfig.of(service.endpoint());
    try (PartitionReader reader =
        new PartitionReader(client, table, PartitionReaderConfig.DEFAULTS)) {
      reader.start(ReadStart.changes(partition, 3).knowing(new KnownPosition(3, incarnation)));
      assertThatThrownBy(() -> reader.poll(Duration.ofSeconds(20)))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> assertThat(refused.code()).isEqualTo(ErrorCode.POSITION_REPLACED));
    }
  }

  @Test
  void base_data_that_is_cut_off_by_a_crash_is_read_on_as_it_is_then() {
    service.createTable(meta(Durability.FSYNC));
    service.write(TABLE, put(1, 1), put(2, 2));
    String tunnelId = service.createTunnel(TABLE, TUNNEL, TunnelType.BaseAndStream);
    service.crashAndRestart();
    service.write(TABLE, put(2, 3));
    var unused = work(tunnelId);
    service.awaitProcessed(TABLE, TUNNEL);
    assertThat(processed()).containsExactly(1L, 3L, 3L);
    assertThat(channel().getChannelStatus()).isEqualTo(ChannelStatus.TERMINATED);
  }

  @Test
  void a_condition_that_throws_fails_who_waits_for_it() {
    assertThatThrownBy(() -> service.await("a table", () -> service.rows(TABLE).isEmpty()))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("there is no table 't'");
  }
}
