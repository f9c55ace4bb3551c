package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What becomes of rows when something fails. */
class WriterOutcomesTest extends WriterFixture {

  private static final Duration IMPATIENCE = Duration.ofMillis(200);

  private static RowChange tooLarge(long key) {
    byte[] bytes = new byte[2 * 1024 * 1024 + 1];
    return new RowPutChange(
        PrimaryKey.builder().add("id", key).build(),
        List.of(new Column("v", ColumnValue.fromBinary(bytes))));
  }

  @Test
  void a_lost_connection_leaves_exactly_the_unanswered_rows_in_doubt() {
    FakeTable table = new FakeTable(1, 1, 100).serve(server);
    CountDownLatch bothSent = new CountDownLatch(2);
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          if (bothSent.getCount() == 0 || request.batch().rowCount() < 5) {
            connection.answer(frame, table.apply(request.batch()).encode());
          } else {
            bothSent.countDown(); // Silence.
          }
        });
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", PATIENT)) {
      add(writer, results, 1, 3); // Answered.
      writer.flush();
      add(writer, results, 10, 5); // Partition 1, unanswered.
      add(writer, results, 110, 5); // Partition 2, unanswered.
      CompletableFuture<Void> flushed = CompletableFuture.runAsync(writer::flush);
      Waits.await(bothSent);
      add(writer, results, 20, 2); // Waits behind the unanswered batch of partition 1.
      server.dropAll();
      flushed.join();
      writer.flush();
    }
    Map<Outcome, List<Long>> byOutcome = byOutcome(results);
    assertThat(byOutcome.get(Outcome.IN_DOUBT))
        .containsExactly(10L, 11L, 12L, 13L, 14L, 110L, 111L, 112L, 113L, 114L);
    assertThat(byOutcome.get(Outcome.APPLIED)).containsExactly(1L, 2L, 3L, 20L, 21L);
    assertThat(table.valuesByKey().keySet()).containsExactlyInAnyOrder(1L, 2L, 3L, 20L, 21L);
  }

  @Test
  void a_failed_disk_and_a_passed_deadline_leave_rows_in_doubt() {
    new FakeTable(1, 1).serve(server);
    AtomicInteger requests = new AtomicInteger();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          if (requests.incrementAndGet() == 1) {
            connection.refuse(frame, ErrorCode.STORAGE_FAILED);
          }
        });
    try (TableClient client =
        TableClient.connect(server.config().withRequestDeadline(Duration.ofMillis(150)))) {
      RowResult failedDisk = client.tryWrite("t", List.of(row(1, 1))).results().get(0);
      assertThat(failedDisk.outcome()).isEqualTo(Outcome.IN_DOUBT);
      assertThat(failedDisk.error()).contains(ErrorCode.STORAGE_FAILED);
      RowResult silence = client.tryWrite("t", List.of(row(1, 2))).results().get(0);
      assertThat(silence.outcome()).isEqualTo(Outcome.IN_DOUBT);
      assertThat(silence.message()).contains("did not answer");
    }
    assertThat(requests).hasValue(2);
  }

  @Test
  void a_server_that_stays_busy_leaves_rows_not_sent_when_the_deadline_has_passed() {
    new FakeTable(1, 1).serve(server);
    AtomicInteger requests = new AtomicInteger();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          requests.incrementAndGet();
          connection.refuse(frame, ErrorCode.BUSY);
        });
    try (TableClient client =
        TableClient.connect(server.config().withWriteRetryDeadline(Duration.ofMillis(100)))) {
      RowResult result = client.tryWrite("t", List.of(row(1, 1))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.NOT_SENT);
      assertThat(result.error()).contains(ErrorCode.BUSY);
      assertThat(requests.get()).isGreaterThan(1);
    }
  }

  @Test
  void rows_written_while_the_server_is_away_are_applied_when_it_comes_back_in_time() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      client.write("t", List.of(row(1, 1)));
      server.goAway();
      Waits.until("the connection is lost", () -> server.connections().isEmpty());
      CompletableFuture<BatchWriteResult> result =
          client.tryWriteAsync("t", List.of(row(1, 2), row(1, 3)));
      server.comeBack();
      // The first may have been on its way when the connection went: then it is in doubt.
      assertThat(result.join().results())
          .extracting(RowResult::outcome)
          .allMatch(outcome -> outcome == Outcome.APPLIED || outcome == Outcome.IN_DOUBT);
      client.write("t", List.of(row(1, 4)));
    }
    assertThat(table.valuesByKey().get(1L)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void rows_written_while_the_server_stays_away_are_not_sent() {
    new FakeTable(1, 1, 50).serve(server);
    try (TableClient client =
        TableClient.connect(
            server
                .config()
                .withRetryDeadline(Duration.ofMillis(200))
                .withWriteRetryDeadline(Duration.ofMillis(200)))) {
      client.write("t", List.of(row(1, 1), row(60, 1)));
      server.goAway();
      Waits.until("the connection is lost", () -> server.connections().isEmpty());
      List<RowChange> rows = List.of(row(1, 2), row(60, 2));
      BatchWriteResult first = client.tryWrite("t", rows);
      BatchWriteResult second = client.tryWrite("t", rows);
      assertThat(second.count(Outcome.NOT_SENT)).isEqualTo(2);
      assertThat(first.allApplied()).isFalse();
    }
  }

  @Test
  void a_writer_that_is_abandoned_waits_for_what_was_sent_and_gives_up_the_rest() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    AtomicReference<Runnable> answer = new AtomicReference<>();
    CountDownLatch sent = new CountDownLatch(1);
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          answer.set(() -> connection.answer(frame, table.apply(request.batch()).encode()));
          sent.countDown();
        });
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", PATIENT)) {
      add(writer, results, 1, 3);
      writer.hurry();
      Waits.await(sent);
      add(writer, results, 10, 3);
      writer.hurry();
      CompletableFuture<Void> abandoned = CompletableFuture.runAsync(writer::abandon);
      assertThat(abandoned).isNotDone();
      answer.get().run();
      abandoned.join();
      assertThatThrownBy(() -> add(writer, results, 20, 1)).hasMessageContaining("closed");
    }
    Map<Outcome, List<Long>> byOutcome = byOutcome(results);
    assertThat(byOutcome.get(Outcome.APPLIED)).contains(1L, 2L, 3L);
    assertThat(results).hasSize(6);
    assertThat(byOutcome.getOrDefault(Outcome.NOT_SENT, List.of()))
        .as("whatever the answer did not let through before")
        .isSubsetOf(10L, 11L, 12L);
  }

  @Test
  void a_writer_that_is_abandoned_does_not_wait_for_a_server_to_come_back() {
    FakeTable table = new FakeTable(1, 1, 100).serve(server);
    CountDownLatch refused = new CountDownLatch(1);
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          connection.refuse(frame, ErrorCode.BUSY);
          refused.countDown();
        });
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client =
            TableClient.connect(
                server
                    .config()
                    .withRetryDeadline(Duration.ofHours(1))
                    .withWriteRetryDeadline(Duration.ofHours(1)));
        TableWriter writer = client.openWriter("t", QUICK)) {
      add(writer, results, 1, 500);
      add(writer, results, 100, 500);
      Waits.await(refused);
      writer.abandon();
    }
    assertThat(byOutcome(results)).containsOnlyKeys(Outcome.NOT_SENT);
    assertThat(results).hasSize(599);
    assertThat(table.valuesByKey()).isEmpty();
  }

  private TableClient impatient() {
    return TableClient.connect(
        server.config().withRetryDeadline(IMPATIENCE).withWriteRetryDeadline(IMPATIENCE));
  }

  @Test
  void rows_that_waited_as_long_as_retries_last_are_not_tried_one_batch_after_the_other() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    CountDownLatch added = new CountDownLatch(1);
    Map<Long, Boolean> tried = new ConcurrentHashMap<>();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          Waits.await(added);
          tried.put(firstKey(frame), true);
          connection.refuse(frame, ErrorCode.BUSY);
        });
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client = impatient();
        TableWriter writer = client.openWriter("t", QUICK)) {
      add(writer, results, 1, 1_000);
      added.countDown();
      writer.flush();
    }
    assertThat(byOutcome(results)).containsOnlyKeys(Outcome.NOT_SENT);
    assertThat(results).hasSize(1_000);
    assertThat(tried).as("one batch").containsOnlyKeys(1L);
    assertThat(table.valuesByKey()).isEmpty();
  }

  @Test
  void a_writer_that_a_failure_stops_applies_no_later_row() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    AtomicInteger attempts = new AtomicInteger();
    CountDownLatch triedAgain = new CountDownLatch(1);
    CountDownLatch added = new CountDownLatch(1);
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          if (firstKey(frame) != 1) {
            connection.answer(frame, table.apply(request.batch()).encode());
            return;
          }
          if (attempts.incrementAndGet() > 1) {
            triedAgain.countDown();
            Waits.await(added);
          }
          connection.refuse(frame, ErrorCode.BUSY);
        });
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client = impatient();
        TableWriter writer = client.openWriter("t", QUICK.stoppedByFailure())) {
      add(writer, results, 1, 3);
      writer.hurry();
      Waits.await(triedAgain);
      long nowNanos = System.nanoTime();
      Waits.until("too late", () -> System.nanoTime() - nowNanos > IMPATIENCE.toNanos());
      add(writer, results, 10, 3);
      writer.hurry();
      added.countDown();
      writer.flush();
      add(writer, results, 20, 3);
      writer.flush();
    }
    assertThat(byOutcome(results)).containsOnlyKeys(Outcome.NOT_SENT);
    assertThat(results).hasSize(9);
    assertThat(table.valuesByKey()).isEmpty();
  }

  private static long firstKey(Frame frame) {
    var rows = WriteRequest.decode(frame.payload()).batch().rows();
    assertThat(rows.next()).isTrue();
    var columns = rows.columns();
    assertThat(columns.next()).isTrue();
    return columns.value().asLong();
  }

  @Test
  void a_row_that_can_never_be_written_fails_alone() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    RowChange wrongKey = new RowPutChange(PrimaryKey.builder().add("other", 1).build(), List.of());
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", PATIENT)) {
      BatchWriteResult result =
          client.tryWrite("t", List.of(row(1, 1), wrongKey, tooLarge(2), row(3, 3)));
      assertThat(result.results())
          .extracting(RowResult::outcome)
          .containsExactly(Outcome.APPLIED, Outcome.REJECTED, Outcome.REJECTED, Outcome.APPLIED);
      assertThat(result.results().get(1).message()).contains("does not match");
      AtomicInteger applied = new AtomicInteger();
      writer.add(row(4, 4), (row, outcome) -> applied.incrementAndGet());
      assertThatThrownBy(() -> writer.add(wrongKey, (row, outcome) -> applied.set(-100)))
          .isInstanceOf(IllegalArgumentException.class);
      writer.flush();
      assertThat(applied).hasValue(1);
      assertThat(writer.bufferedBytes()).isZero();
    }
    assertThat(table.valuesByKey().keySet()).containsExactlyInAnyOrder(1L, 3L, 4L);
  }

  @Test
  void a_row_that_only_the_server_refuses_fails_alone() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          boolean hasBadRow = false;
          for (var row = request.batch().rows(); row.next(); ) {
            var columns = row.columns();
            hasBadRow |= columns.next() && columns.value().asLong() == 13;
          }
          if (hasBadRow) {
            connection.refuse(frame, ErrorCode.INVALID_REQUEST);
          } else {
            connection.answer(frame, table.apply(request.batch()).encode());
          }
        });
    List<RowChange> rows = new ArrayList<>();
    List<Long> good = new ArrayList<>();
    for (long i = 0; i < 50; i++) {
      rows.add(row(7, i));
      if (i != 13) {
        good.add(i);
      }
    }
    try (TableClient client = client()) {
      BatchWriteResult result = client.tryWrite("t", rows);
      assertThat(result.count(Outcome.APPLIED)).isEqualTo(49);
      assertThat(result.results().get(13).outcome()).isEqualTo(Outcome.REJECTED);
    }
    assertThat(table.valuesByKey().get(7L)).isEqualTo(good);
  }

  @ParameterizedTest
  @CsvSource({
    "BUSY, NOT_SENT",
    "INTERNAL, NOT_SENT",
    "STORAGE_FAILED, NOT_SENT",
    "NOT_PERMITTED, REJECTED",
  })
  void no_row_is_sent_while_no_server_gives_the_writer_an_id(ErrorCode refusal, Outcome outcome) {
    new FakeTable(1, 1).serve(server);
    server.on(Operation.OPEN_WRITER, (connection, frame) -> connection.refuse(frame, refusal));
    AtomicInteger requests = new AtomicInteger();
    server.on(Operation.WRITE, (connection, frame) -> requests.incrementAndGet());
    Duration shortly = Duration.ofMillis(100);
    try (TableClient client =
        TableClient.connect(
            server.config().withRetryDeadline(shortly).withWriteRetryDeadline(shortly))) {
      RowResult result = client.tryWrite("t", List.of(row(1, 1))).results().get(0);
      assertThat(result.outcome()).isEqualTo(outcome);
      assertThat(result.message()).contains(refusal.name());
      assertThat(requests.get()).isZero();
    }
  }
}
