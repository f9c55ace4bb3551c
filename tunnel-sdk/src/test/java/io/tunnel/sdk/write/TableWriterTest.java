package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Column;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeConnection;
import io.tunnel.sdk.fake.FakeServer;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Frame;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TableWriterTest {

  private static final TableWriterConfig QUICK =
      TableWriterConfig.DEFAULTS.withBatchBytesMax(2_000).withLinger(Duration.ofMillis(1));
  private static final TableWriterConfig PATIENT =
      TableWriterConfig.DEFAULTS.withLinger(Duration.ofHours(1));

  private final FakeServer server = new FakeServer();

  @AfterEach
  void close() {
    server.close();
    assertThat(server.failures()).isEmpty();
  }

  static RowChange row(long key, long value) {
    return new RowPutChange(
        PrimaryKey.builder().add("id", key).build(),
        List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  private static RowChange tooLarge(long key) {
    byte[] bytes = new byte[2 * 1024 * 1024 + 1];
    return new RowPutChange(
        PrimaryKey.builder().add("id", key).build(),
        List.of(new Column("v", ColumnValue.fromBinary(bytes))));
  }

  private TableClient client() {
    return TableClient.connect(server.config().withRetryDeadline(Duration.ofSeconds(10)));
  }

  /** Answers, refuses and delays at random, and asserts one batch per partition at a time. */
  private final class Moody {
    private final FakeTable table;
    private final Random chance;
    private final Map<Integer, AtomicInteger> underWay = new ConcurrentHashMap<>();
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
    private final AtomicInteger overlaps = new AtomicInteger();

    Moody(FakeTable table, long seed) {
      this.table = table.serve(server);
      this.chance = new Random(seed);
      server.on(Operation.WRITE, this::write);
    }

    private synchronized void write(FakeConnection connection, Frame frame) {
      WriteRequest request = WriteRequest.decode(frame.payload());
      AtomicInteger count =
          underWay.computeIfAbsent(request.batch().partition(), p -> new AtomicInteger());
      if (count.incrementAndGet() > 1) {
        overlaps.incrementAndGet();
      }
      later.schedule(
          () -> answer(connection, frame, request, count),
          chance.nextInt(2_000),
          TimeUnit.MICROSECONDS);
    }

    private synchronized void answer(
        FakeConnection connection, Frame frame, WriteRequest request, AtomicInteger count) {
      count.decrementAndGet();
      switch (chance.nextInt(4)) {
        case 0 -> connection.refuse(frame, ErrorCode.BUSY);
        case 1 -> connection.refuse(frame, ErrorCode.SHUTTING_DOWN);
        default -> connection.answer(frame, table.apply(request.batch()).encode());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void writes_to_a_key_keep_their_order_whatever_the_server_does(long seed) throws Exception {
    FakeTable table = new FakeTable(1, 1, 10, 20, 30);
    Moody moody = new Moody(table, seed);
    Random random = new Random(seed);
    int rows = 3_000;
    Map<Long, List<Long>> written = new HashMap<>();
    List<RowResult> results = Collections.synchronizedList(new ArrayList<>());
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      for (int i = 0; i < rows; i++) {
        long key = random.nextInt(40);
        written.computeIfAbsent(key, k -> new ArrayList<>()).add((long) i);
        writer.add(row(key, i), (row, result) -> results.add(result));
      }
      writer.flush();
      assertThat(results).hasSize(rows).allMatch(RowResult::isApplied);
    }
    moody.later.shutdown();
    assertThat(table.valuesByKey()).as("seed %d", seed).isEqualTo(written);
    assertThat(moody.overlaps).hasValue(0);
  }

  @Test
  void callbacks_of_a_partition_come_in_order_with_rising_positions() {
    new FakeTable(1, 1).serve(server);
    List<Long> order = Collections.synchronizedList(new ArrayList<>());
    List<Long> positions = Collections.synchronizedList(new ArrayList<>());
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      for (long i = 0; i < 2_000; i++) {
        long number = i;
        writer.add(
            row(i, i),
            (row, result) -> {
              order.add(number);
              positions.add(result.position());
            });
      }
    }
    assertThat(order).hasSize(2_000).isSorted().doesNotHaveDuplicates();
    assertThat(positions).isSorted().doesNotHaveDuplicates().startsWith(1L).endsWith(2_000L);
  }

  @Test
  void one_batch_per_partition_is_under_way_and_the_next_one_grows_meanwhile() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    List<WriteRequest> requests = Collections.synchronizedList(new ArrayList<>());
    AtomicReference<Runnable> first = new AtomicReference<>();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          requests.add(request);
          Runnable answer = () -> connection.answer(frame, table.apply(request.batch()).encode());
          if (requests.size() == 1) {
            first.set(answer);
          } else {
            answer.run();
          }
        });
    try (TableClient client = client();
        TableWriter writer =
            client.openWriter("t", TableWriterConfig.DEFAULTS.withLinger(Duration.ZERO))) {
      writer.add(row(1, 0), (row, result) -> {});
      Waits.until("the first batch is sent", () -> first.get() != null);
      for (int i = 1; i <= 100; i++) {
        writer.add(row(1, i), (row, result) -> {});
      }
      assertThat(requests).hasSize(1);
      first.get().run();
      writer.flush();
      assertThat(requests).hasSize(2);
      assertThat(requests.get(1).batch().rowCount()).isEqualTo(100);
    }
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

  private static void add(TableWriter writer, Map<Long, RowResult> results, long from, int rows) {
    for (long key = from; key < from + rows; key++) {
      long added = key;
      writer.add(row(key, key), (row, result) -> results.put(added, result));
    }
  }

  private static Map<Outcome, List<Long>> byOutcome(Map<Long, RowResult> results) {
    Map<Outcome, List<Long>> keys = new LinkedHashMap<>();
    results.keySet().stream()
        .sorted()
        .forEach(
            key ->
                keys.computeIfAbsent(results.get(key).outcome(), o -> new ArrayList<>()).add(key));
    return keys;
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
      RowResult failedDisk = client.write("t", List.of(row(1, 1))).results().get(0);
      assertThat(failedDisk.outcome()).isEqualTo(Outcome.IN_DOUBT);
      assertThat(failedDisk.error()).contains(ErrorCode.STORAGE_FAILED);
      RowResult silence = client.write("t", List.of(row(1, 2))).results().get(0);
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
        TableClient.connect(server.config().withRetryDeadline(Duration.ofMillis(100)))) {
      RowResult result = client.write("t", List.of(row(1, 1))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.NOT_SENT);
      assertThat(result.error()).contains(ErrorCode.BUSY);
      assertThat(requests.get()).isGreaterThan(1);
    }
  }

  @Test
  void rows_written_while_the_server_is_away_are_applied_when_it_comes_back_in_time() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      assertThat(client.write("t", List.of(row(1, 1))).allApplied()).isTrue();
      server.goAway();
      Waits.until("the connection is lost", () -> server.connections().isEmpty());
      CompletableFuture<BatchWriteResult> result =
          client.writeAsync("t", List.of(row(1, 2), row(1, 3)));
      server.comeBack();
      // The first may have been on its way when the connection went: then it is in doubt.
      assertThat(result.join().results())
          .extracting(RowResult::outcome)
          .allMatch(outcome -> outcome == Outcome.APPLIED || outcome == Outcome.IN_DOUBT);
      assertThat(client.write("t", List.of(row(1, 4))).allApplied()).isTrue();
    }
    assertThat(table.valuesByKey().get(1L)).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void rows_written_while_the_server_stays_away_are_not_sent() {
    new FakeTable(1, 1, 50).serve(server);
    try (TableClient client =
        TableClient.connect(server.config().withRetryDeadline(Duration.ofMillis(200)))) {
      assertThat(client.write("t", List.of(row(1, 1), row(60, 1))).allApplied()).isTrue();
      server.goAway();
      Waits.until("the connection is lost", () -> server.connections().isEmpty());
      List<RowChange> rows = List.of(row(1, 2), row(60, 2));
      BatchWriteResult first = client.write("t", rows);
      BatchWriteResult second = client.write("t", rows);
      assertThat(second.count(Outcome.NOT_SENT)).isEqualTo(2);
      assertThat(first.allApplied()).isFalse();
    }
  }

  @Test
  void a_row_that_can_never_be_written_fails_alone() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    RowChange wrongKey = new RowPutChange(PrimaryKey.builder().add("other", 1).build(), List.of());
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", PATIENT)) {
      BatchWriteResult result =
          client.write("t", List.of(row(1, 1), wrongKey, tooLarge(2), row(3, 3)));
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
      BatchWriteResult result = client.write("t", rows);
      assertThat(result.count(Outcome.APPLIED)).isEqualTo(49);
      assertThat(result.results().get(13).outcome()).isEqualTo(Outcome.REJECTED);
    }
    assertThat(table.valuesByKey().get(7L)).isEqualTo(good);
  }

  @Test
  void rows_whose_condition_failed_are_rejected_and_the_others_keep_their_positions() {
    new FakeTable(1, 1).serve(server);
    server.on(
        Operation.WRITE,
        (connection, frame) ->
            connection.answer(
                frame,
                new WriteResult(
                        41,
                        2,
                        List.of(
                            new WriteResult.Rejection(0, ErrorCode.CONDITION_FAILED),
                            new WriteResult.Rejection(2, ErrorCode.CONDITION_FAILED)))
                    .encode()));
    try (TableClient client = client()) {
      List<RowResult> results =
          client.write("t", List.of(row(1, 1), row(2, 2), row(3, 3), row(4, 4))).results();
      assertThat(results)
          .extracting(RowResult::outcome)
          .containsExactly(Outcome.REJECTED, Outcome.APPLIED, Outcome.REJECTED, Outcome.APPLIED);
      assertThat(results.get(0).error()).contains(ErrorCode.CONDITION_FAILED);
      assertThat(results).extracting(RowResult::position).containsExactly(-1L, 41L, -1L, 42L);
    }
  }

  @Test
  void the_buffer_is_bounded_and_adding_waits() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    List<Runnable> unanswered = Collections.synchronizedList(new ArrayList<>());
    AtomicLong openGate = new AtomicLong();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          Runnable answer =
              () ->
                  connection.answer(
                      frame, table.apply(WriteRequest.decode(frame.payload()).batch()).encode());
          if (openGate.get() == 1) {
            answer.run();
          } else {
            unanswered.add(answer);
          }
        });
    long bytesMax = 10_000;
    try (TableClient client = client();
        TableWriter writer =
            client.openWriter("t", PATIENT.withBufferBytesMax(bytesMax).withBatchBytesMax(3_000))) {
      AtomicInteger added = new AtomicInteger();
      CountDownLatch done = new CountDownLatch(1);
      Thread adder =
          new Thread(
              () -> {
                for (int i = 0; i < 2_000; i++) {
                  writer.add(row(1, i), (row, result) -> {});
                  added.incrementAndGet();
                }
                done.countDown();
              });
      adder.start();
      Waits.until(
          "the adder waits for the batch that is sent",
          () ->
              adder.getState() == Thread.State.WAITING
                  && writer.bufferedBytes() >= bytesMax
                  && !unanswered.isEmpty());
      assertThat(writer.bufferedBytes()).isBetween(bytesMax, bytesMax + 100);
      int addedBefore = added.get();
      assertThat(addedBefore).isLessThan(2_000);
      openGate.set(1);
      unanswered.get(0).run();
      Waits.await(done);
      writer.flush();
      assertThat(added.get()).isEqualTo(2_000);
      assertThat(writer.bufferedBytes()).isZero();
    }
    assertThat(table.valuesByKey().get(1L)).hasSize(2_000).isSorted();
  }

  @Test
  void a_callback_may_add_while_there_is_room_and_is_told_when_it_would_wait() {
    new FakeTable(1, 1).serve(server);
    AtomicReference<Throwable> refused = new AtomicReference<>();
    AtomicReference<Throwable> flushed = new AtomicReference<>();
    CountDownLatch done = new CountDownLatch(1);
    try (TableClient client = client();
        TableWriter writer =
            client.openWriter("t", TableWriterConfig.DEFAULTS.withBufferBytesMax(400))) {
      writer.add(
          row(1, 1),
          (row, result) -> {
            try {
              for (int i = 0; i < 1_000; i++) {
                writer.add(row(1, i), (again, ignored) -> {});
              }
            } catch (IllegalStateException e) {
              refused.set(e);
            }
            try {
              writer.flush();
            } catch (IllegalStateException e) {
              flushed.set(e);
            }
            done.countDown();
          });
      Waits.await(done);
    }
    assertThat(refused.get()).hasMessageContaining("would block a callback thread");
    assertThat(flushed.get()).hasMessageContaining("would block a callback thread");
  }

  @Test
  void a_callback_that_throws_keeps_nobody_from_their_results() {
    new FakeTable(1, 1).serve(server);
    AtomicInteger told = new AtomicInteger();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", PATIENT)) {
      for (int i = 0; i < 10; i++) {
        writer.add(
            row(i, i),
            (row, result) -> {
              told.incrementAndGet();
              throw new IllegalArgumentException("a bug of the user");
            });
      }
      writer.flush();
      assertThat(told).hasValue(10);
    }
  }

  @Test
  void rows_follow_their_keys_when_a_partition_was_split() {
    FakeTable before = new FakeTable(1, 1).serve(server);
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      add(writer, results, 0, 10);
      writer.flush();
      FakeTable after = new FakeTable(1, 2, 5).serve(server);
      for (int round = 0; round < 50; round++) {
        add(writer, results, 0, 10);
      }
      writer.flush();
      assertThat(results.values()).allMatch(RowResult::isApplied);
      assertThat(results.get(3L).partition()).isEqualTo(2);
      assertThat(results.get(7L).partition()).isEqualTo(3);
      assertThat(before.valuesByKey().get(3L)).hasSize(1);
      assertThat(after.valuesByKey().get(3L)).hasSize(50);
      assertThat(writer.bufferedBytes()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18})
  void order_per_key_survives_splits_under_load(long seed) throws Exception {
    AtomicReference<FakeTable> table = new AtomicReference<>();
    List<FakeTable> all = Collections.synchronizedList(new ArrayList<>());
    Runnable split =
        () -> {
          int number = all.size();
          long[] points = new Random(seed + number).longs(number, 0, 40).sorted().toArray();
          FakeTable next =
              new FakeTable(1, 100 * (number + 1), LongStream.of(points).distinct().toArray());
          all.add(next);
          table.set(next);
        };
    split.run();
    server.on(Operation.PARTITION_MAP, (c, frame) -> c.answer(frame, table.get().description()));
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          WriteRequest request = WriteRequest.decode(frame.payload());
          synchronized (all) {
            var refusal = table.get().refusal(request);
            if (refusal.isPresent()) {
              connection.refuse(frame, refusal.get());
            } else {
              connection.answer(frame, table.get().apply(request.batch()).encode());
            }
          }
        });
    Random random = new Random(seed);
    Map<Long, List<Long>> written = new HashMap<>();
    AtomicInteger applied = new AtomicInteger();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      for (int i = 0; i < 4_000; i++) {
        long key = random.nextInt(40);
        written.computeIfAbsent(key, k -> new ArrayList<>()).add((long) i);
        writer.add(row(key, i), (row, result) -> applied.addAndGet(result.isApplied() ? 1 : 0));
        if (i % 1_000 == 999) {
          writer.flush();
          assertThat(applied).as("told when a flush returns, seed %d", seed).hasValue(i + 1);
          synchronized (all) {
            split.run();
          }
        }
      }
    }
    Map<Long, List<Long>> stored = new HashMap<>();
    for (FakeTable part : all) {
      part.valuesByKey()
          .forEach(
              (key, values) -> stored.computeIfAbsent(key, k -> new ArrayList<>()).addAll(values));
    }
    assertThat(stored).as("seed %d", seed).isEqualTo(written);
    assertThat(applied).hasValue(4_000);
  }

  @Test
  void rows_of_a_table_that_is_gone_are_rejected() {
    new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      assertThat(client.write("t", List.of(row(1, 1))).allApplied()).isTrue();
      server.on(Operation.WRITE, (c, frame) -> c.refuse(frame, ErrorCode.TABLE_NOT_FOUND));
      server.on(Operation.PARTITION_MAP, (c, frame) -> c.refuse(frame, ErrorCode.TABLE_NOT_FOUND));
      RowResult result = client.write("t", List.of(row(1, 2))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
      assertThat(result.error()).contains(ErrorCode.TABLE_NOT_FOUND);
      assertThatThrownBy(() -> client.openWriter("t", QUICK))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
      new FakeTable(2, 50, 3).serve(server);
      assertThat(client.write("t", List.of(row(1, 3), row(9, 3))).allApplied()).isTrue();
    }
  }

  @Test
  void a_server_that_insists_on_the_wrong_partition_is_believed_the_second_time() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    AtomicInteger requests = new AtomicInteger();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          requests.incrementAndGet();
          connection.refuse(frame, ErrorCode.WRONG_PARTITION);
        });
    try (TableClient client = client()) {
      RowResult result = client.write("t", List.of(row(1, 1))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
      assertThat(result.error()).contains(ErrorCode.WRONG_PARTITION);
    }
    assertThat(requests).hasValue(2);
    assertThat(table.batches()).isZero();
  }

  @Test
  void a_closed_writer_refuses_rows_and_closing_twice_is_nothing() {
    new FakeTable(1, 1).serve(server);
    try (TableClient client = client()) {
      TableWriter writer = client.openWriter("t", PATIENT);
      AtomicInteger applied = new AtomicInteger();
      writer.add(row(1, 1), (row, result) -> applied.incrementAndGet());
      writer.close();
      writer.close();
      assertThat(applied).hasValue(1);
      assertThatThrownBy(() -> writer.add(row(1, 2), (row, result) -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @Test
  void several_threads_may_add_and_each_keeps_its_order() throws Exception {
    FakeTable table = new FakeTable(1, 1, 2, 4, 6).serve(server);
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK.withBufferBytesMax(20_000))) {
      List<Thread> threads = new ArrayList<>();
      for (long t = 0; t < 4; t++) {
        long key = t * 2;
        threads.add(
            new Thread(
                () -> {
                  for (long i = 0; i < 5_000; i++) {
                    writer.add(row(key, i), (row, result) -> {});
                    writer.add(row(key + 1, i), (row, result) -> {});
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(table.valuesByKey()).hasSize(8);
    table.valuesByKey().values().forEach(values -> assertThat(values).hasSize(5_000).isSorted());
  }
}
