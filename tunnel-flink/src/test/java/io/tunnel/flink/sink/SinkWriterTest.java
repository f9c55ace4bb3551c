package io.tunnel.flink.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.processor.StreamRecord;
import io.tunnel.sdk.table.CreateTableRequest;
import io.tunnel.sdk.testing.ClientRequest;
import io.tunnel.sdk.testing.InMemoryTunnelService;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.InstantiationUtil;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The writer of the sink in a task of the test's own, against the service in its memory. */
class SinkWriterTest {

  private static final String TABLE = "orders";

  private final InMemoryTunnelService service = InMemoryTunnelService.start();
  private final FakeTask task = new FakeTask();
  private final List<SinkWriter<RowChange>> writers = new ArrayList<>();

  @BeforeEach
  void createTable() {
    service.createTable(
        CreateTableRequest.builder(TABLE).key("id", PrimaryKeyType.INTEGER).splitPoint(3).build());
  }

  @AfterEach
  void close() throws Exception {
    for (SinkWriter<RowChange> writer : writers) {
      writer.close();
    }
    service.close();
  }

  private TunnelSinkBuilder<RowChange> sink() {
    return sink((row, moment) -> row);
  }

  private TunnelSinkBuilder<RowChange> sink(TunnelSerializationSchema<RowChange> schema) {
    return TunnelSink.builder(schema).endpoint(service.endpoint()).table(TABLE);
  }

  private SinkWriter<RowChange> writer(TunnelSinkBuilder<RowChange> sink) throws IOException {
    SinkWriter<RowChange> writer = sink.build().createWriter(task);
    writers.add(writer);
    return writer;
  }

  private static void write(SinkWriter<RowChange> writer, List<RowChange> rows) throws Exception {
    for (RowChange row : rows) {
      writer.write(row, null);
    }
  }

  @Test
  void what_was_written_is_in_the_table_when_the_flush_returns() throws Exception {
    List<RowChange> history = Model.history(new Random(1), 2_000, 40);
    SinkWriter<RowChange> writer = writer(sink());
    write(writer, history);
    writer.flush(false);
    assertThat(stored()).isEqualTo(new Model().apply(history).rows());
    assertThat(task.metrics().count("numRecordsSend")).isEqualTo(2_000);
    assertThat(task.metrics().count("numRecordsSendErrors")).isZero();
    assertThat(task.metrics().gauged("inFlightBytes")).isEqualTo(0L);
  }

  private Object stored() {
    return Model.of(service.rows(TABLE)).rows();
  }

  @Test
  void a_schema_may_leave_elements_out() throws Exception {
    SinkWriter<RowChange> writer =
        writer(sink((row, moment) -> row.primaryKey().equals(Model.key(1)) ? null : row));
    write(writer, List.of(Model.put(1, "c", 1), Model.put(2, "c", 1)));
    writer.flush(true);
    assertThat(service.rows(TABLE)).hasSize(1);
  }

  @Test
  void the_changes_of_a_key_come_in_the_order_in_which_they_were_written() throws Exception {
    List<RowChange> history = Model.history(new Random(3), 3_000, 5);
    SinkWriter<RowChange> writer = writer(sink().batchBytesMax(500).linger(Duration.ZERO));
    write(writer, history);
    writer.flush(false);
    Map<PrimaryKey, List<String>> kinds = new HashMap<>();
    for (RowChange row : history) {
      kinds.computeIfAbsent(row.primaryKey(), key -> new ArrayList<>()).add(row.kind().name());
    }
    Map<PrimaryKey, List<String>> delivered = new HashMap<>();
    for (StreamRecord record : service.changes(TABLE)) {
      delivered
          .computeIfAbsent(record.getPrimaryKey(), key -> new ArrayList<>())
          .add(record.getRecordType().name());
    }
    assertThat(delivered).isEqualTo(kinds);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void rows_in_doubt_are_written_again_and_no_key_goes_back(long seed) throws Exception {
    Random random = new Random(seed);
    List<RowChange> history = Model.history(random, 3_000, 7);
    SinkWriter<RowChange> writer =
        writer(sink().batchBytesMax(600).linger(Duration.ZERO).repeatAttemptsMax(50));
    for (RowChange row : history) {
      int dice = random.nextInt(400);
      if (dice == 0) {
        service.doubtNextWrites(1);
      } else if (dice == 4) {
        service.loseAnswersOfNextWrites(1);
      } else if (dice == 1) {
        service.failNextWrites(1);
      } else if (dice == 2) {
        service.loseConnections();
      } else if (dice == 3) {
        writer.flush(false);
        assertThat(task.metrics().gauged("inFlightBytes")).isEqualTo(0L);
      }
      writer.write(row, null);
    }
    writer.flush(true);
    assertThat(stored()).as("seed %d", seed).isEqualTo(new Model().apply(history).rows());
    assertThat(task.metrics().count("rowsRepeated")).isPositive();
    assertThat(task.pausesMs()).startsWith(100L);
  }

  @Test
  void a_row_that_stays_in_doubt_fails_the_job_with_its_key_after_pauses_that_grow()
      throws Exception {
    SinkWriter<RowChange> writer = writer(sink().repeatAttemptsMax(3));
    service.failNextWrites(4);
    writer.write(Model.put(2, "c", 1), null);
    Throwable thrown = catchThrowable(() -> writer.flush(false));
    // Thrown by the flush, or inside a task of the mailbox, which wraps it.
    assertThat(ExceptionUtils.findThrowable(thrown, WriteFailedException.class))
        .as("%s", thrown)
        .get(InstanceOfAssertFactories.THROWABLE)
        .hasMessageContaining("PUT of row (id=2) of table 'orders'")
        .hasMessageContaining("IN_DOUBT after 3 repetitions")
        .hasMessageContaining("STORAGE_FAILED");
    assertThat(task.pausesMs()).containsExactly(100L, 200L, 400L);
  }

  @Test
  void repetitions_start_anew_when_the_trouble_is_over() throws Exception {
    SinkWriter<RowChange> writer = writer(sink().repeatAttemptsMax(1));
    for (int i = 0; i < 3; i++) {
      service.failNextWrites(1);
      writer.write(Model.put(i, "c", i), null);
      writer.flush(false);
    }
    assertThat(service.rows(TABLE)).hasSize(3);
    assertThat(task.pausesMs()).containsExactly(100L, 100L, 100L);
  }

  @Test
  void a_job_waits_for_the_service_and_no_more_than_the_buffer_is_under_way() throws Exception {
    int rows = 300;
    SinkWriter<RowChange> writer = writer(sink().bufferBytesMax(1_000).batchBytesMax(300));
    service.delay(ClientRequest.WRITE, Duration.ofSeconds(1));
    task.whileIdle(() -> service.advance(Duration.ofSeconds(1)));
    for (int i = 0; i < rows; i++) {
      writer.write(Model.put(i, "c", i), null);
      assertThat((long) task.metrics().gauged("inFlightBytes")).isLessThanOrEqualTo(1_200);
    }
    writer.flush(true);
    assertThat(service.rows(TABLE)).hasSize(rows);
    assertThat(task.yields()).isGreaterThan(10);
  }

  @Test
  void a_task_that_waits_for_room_can_be_interrupted() throws Exception {
    SinkWriter<RowChange> writer = writer(sink().bufferBytesMax(1));
    service.delay(ClientRequest.WRITE, Duration.ofHours(1));
    writer.write(Model.put(1, "c", 1), null);
    task.whileIdle(() -> Thread.currentThread().interrupt());
    assertThatThrownBy(() -> writer.write(Model.put(2, "c", 1), null))
        .isInstanceOf(InterruptedException.class);
    service.delay(ClientRequest.WRITE, Duration.ZERO);
    service.advance(Duration.ofHours(1));
  }

  @Test
  void a_row_that_can_never_be_written_fails_the_job_with_its_key_and_why() throws Exception {
    SinkWriter<RowChange> writer = writer(sink());
    RowChange row = new RowDeleteChange(PrimaryKey.builder().add("id", "text").build());
    assertThatThrownBy(() -> writer.write(row, null))
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining("DELETE of row (id=text) of table 'orders' was rejected")
        .satisfies(
            e -> {
              assertThat(((WriteFailedException) e).key()).isEqualTo("(id=text)");
              assertThat(((WriteFailedException) e).code()).contains(ErrorCode.INVALID_REQUEST);
            });
    assertThat(task.metrics().count("numRecordsSendErrors")).isEqualTo(1);
  }

  @Test
  void what_the_service_rejects_fails_the_job_though_it_has_nothing_more_to_write()
      throws Exception {
    SinkWriter<RowChange> writer = writer(sink());
    service.refuseNext(ClientRequest.WRITE, ErrorCode.ROW_TOO_LARGE);
    writer.write(Model.put(1, "c", 1), null);
    assertThatThrownBy(task::yield)
        .rootCause()
        .isInstanceOf(WriteFailedException.class)
        .hasMessageContaining("(id=1)")
        .hasMessageContaining("ROW_TOO_LARGE");
  }

  @Test
  void rejected_rows_may_be_skipped_and_are_counted() throws Exception {
    SinkWriter<RowChange> writer = writer(sink().rejectedRows(RejectedRows.SKIP));
    writer.write(new RowDeleteChange(PrimaryKey.builder().add("id", "text").build()), null);
    service.refuseNext(ClientRequest.WRITE, ErrorCode.ROW_TOO_LARGE);
    writer.write(Model.put(1, "c", 1), null);
    writer.flush(false);
    writer.write(Model.put(2, "c", 1), null);
    writer.flush(true);
    assertThat(service.rows(TABLE)).hasSize(1);
    assertThat(task.metrics().count("rowsRejected")).isEqualTo(2);
    assertThat(task.metrics().count("numRecordsSendErrors")).isEqualTo(2);
    assertThat(task.metrics().count("numRecordsSend")).isEqualTo(1);
  }

  @Test
  void a_table_that_is_gone_fails_the_job_also_when_rejected_rows_are_skipped() throws Exception {
    SinkWriter<RowChange> writer = writer(sink().rejectedRows(RejectedRows.SKIP));
    service.refuseNext(ClientRequest.WRITE, ErrorCode.UNSUPPORTED_VERSION);
    writer.write(Model.put(1, "c", 1), null);
    assertThatThrownBy(() -> writer.flush(false)).hasStackTraceContaining("WriteFailedException");
  }

  @Test
  void conditions_are_refused_unless_they_are_asked_for() throws Exception {
    RowChange conditional =
        new RowPutChange(
            Model.key(1),
            List.of(new Column("c", ColumnValue.fromLong(1))),
            RowExistenceExpectation.EXPECT_EXIST);
    SinkWriter<RowChange> strict = writer(sink());
    assertThatThrownBy(() -> strict.write(conditional, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("(id=1)")
        .hasMessageContaining("withConditions");
    SinkWriter<RowChange> lenient = writer(sink().withConditions());
    lenient.write(conditional, null);
    lenient.flush(true);
    assertThat(service.rows(TABLE)).isEmpty();
    assertThat(task.metrics().count("rowsUnmet")).isEqualTo(1);
    assertThat(task.metrics().count("numRecordsSendErrors")).isZero();
  }

  @Test
  void keys_that_the_server_numbers_are_refused() throws Exception {
    RowChange auto =
        new RowPutChange(PrimaryKey.builder().add("shop", "a").auto("id").build(), List.of());
    SinkWriter<RowChange> writer = writer(sink().withConditions());
    assertThatThrownBy(() -> writer.write(auto, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("(shop=a, id=AUTO)")
        .hasMessageContaining("leaves its number to the server");
  }

  @Test
  void increments_are_refused_unless_they_are_asked_for() throws Exception {
    RowChange add = new RowUpdateChange(Model.key(1), List.of(new ColumnUpdate.Increment("c", 2)));
    SinkWriter<RowChange> strict = writer(sink());
    assertThatThrownBy(() -> strict.write(add, null))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("(id=1)")
        .hasMessageContaining("adds to a column")
        .hasMessageContaining("withConditions");
    SinkWriter<RowChange> lenient = writer(sink().withConditions());
    lenient.write(add, null);
    lenient.flush(true);
    assertThat(service.rows(TABLE).get(0).value("c")).hasValue(ColumnValue.fromLong(2));
  }

  @Test
  void a_writer_without_restarts_is_made_once_and_then_ends_the_job() throws Exception {
    write(writer(sink().withoutRestarts()), List.of(Model.put(1, "c", 1)));
    task.startedBefore(2);
    TunnelSink<RowChange> once = sink().withoutRestarts().build();
    assertThatThrownBy(() -> once.createWriter(task))
        .isInstanceOf(SuppressRestartsException.class)
        .rootCause()
        .hasMessageContaining("table 'orders'")
        .hasMessageContaining("attempt 2")
        .hasMessageContaining("Look which rows are changed");
    write(writer(sink()), List.of(Model.put(2, "c", 1)));
  }

  @Test
  void a_table_that_is_not_there_is_named_when_the_writer_is_made() {
    assertThatThrownBy(() -> sink().table("missing").build().createWriter(task))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("'missing'")
        .hasMessageContaining(service.endpoint());
  }

  /**
   * The successor writes the unsent rows: a late row of this writer could undo a row of its
   * successor.
   */
  @Test
  void a_writer_that_is_closed_leaves_what_was_not_sent_to_its_successor() throws Exception {
    SinkWriter<RowChange> writer = sink().linger(Duration.ofHours(1)).build().createWriter(task);
    write(writer, Model.history(new Random(9), 500, 300));
    writer.close();
    assertThat(service.changes(TABLE)).isEmpty();
    task.tryYield();
  }

  @Test
  void a_sink_can_be_shipped() throws Exception {
    TunnelSink<RowChange> shipped =
        InstantiationUtil.clone(sink().durability(WriteDurability.OS).build());
    SinkWriter<RowChange> writer = shipped.createWriter(task);
    writers.add(writer);
    writer.write(Model.put(1, "c", 1), null);
    writer.flush(true);
    assertThat(service.rows(TABLE)).hasSize(1);
  }

  @Test
  void settings_that_make_no_sense_are_refused_at_once() {
    TunnelSinkBuilder<RowChange> sink = sink();
    assertThatThrownBy(() -> sink.bufferBytesMax(0)).hasMessageContaining("bufferBytesMax");
    assertThatThrownBy(() -> sink.batchBytesMax(0)).hasMessageContaining("batchBytesMax");
    assertThatThrownBy(() -> sink.linger(Duration.ofMillis(-1))).hasMessageContaining("linger");
    assertThatThrownBy(() -> sink.repeatAttemptsMax(-1)).hasMessageContaining("repeatAttemptsMax");
    assertThatThrownBy(() -> sink.table("no table").build()).hasMessageContaining("no table");
  }
}
