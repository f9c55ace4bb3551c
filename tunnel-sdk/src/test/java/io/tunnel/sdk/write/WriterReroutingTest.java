package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of partitions that have given way to others. */
class WriterReroutingTest extends WriterFixture {

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
      client.write("t", List.of(row(1, 1)));
      server.on(Operation.WRITE, (c, frame) -> c.refuse(frame, ErrorCode.TABLE_NOT_FOUND));
      server.on(Operation.PARTITION_MAP, (c, frame) -> c.refuse(frame, ErrorCode.TABLE_NOT_FOUND));
      RowResult result = client.tryWrite("t", List.of(row(1, 2))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.REJECTED);
      assertThat(result.error()).contains(ErrorCode.TABLE_NOT_FOUND);
      assertThatThrownBy(() -> client.openWriter("t", QUICK))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND));
      new FakeTable(2, 50, 3).serve(server);
      client.write("t", List.of(row(1, 3), row(9, 3)));
    }
  }

  @Test
  void rows_are_not_sent_when_no_map_in_time_is_newer_than_the_word_that_it_is_old() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    AtomicInteger requests = new AtomicInteger();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          requests.incrementAndGet();
          connection.refuse(frame, ErrorCode.WRONG_PARTITION);
        });
    try (TableClient client =
        TableClient.connect(
            server
                .config()
                .withRetryDeadline(Duration.ofMillis(150))
                .withWriteRetryDeadline(Duration.ofMillis(150)))) {
      RowResult result = client.tryWrite("t", List.of(row(1, 1))).results().get(0);
      assertThat(result.outcome()).isEqualTo(Outcome.NOT_SENT);
      assertThat(result.error()).contains(ErrorCode.WRONG_PARTITION);
    }
    assertThat(requests.get()).isGreaterThan(2);
    assertThat(table.batches()).isZero();
  }

  @Test
  void maps_that_are_older_than_the_word_that_led_to_their_reading_are_read_again() {
    FakeTable before = new FakeTable(1, 1).serve(server);
    FakeTable between = new FakeTable(1, 2, 5);
    FakeTable after = new FakeTable(1, 4, 3, 7);
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    AtomicInteger maps = new AtomicInteger();
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      add(writer, results, 0, 10);
      writer.flush();
      after.serve(server);
      server.on(
          Operation.PARTITION_MAP,
          (connection, frame) -> {
            int read = maps.incrementAndGet();
            FakeTable told = read <= 3 ? before : read <= 6 ? between : after;
            connection.answer(frame, told.description());
          });
      results.clear();
      add(writer, results, 0, 10);
      writer.flush();
    }
    assertThat(results.values()).hasSize(10).allMatch(RowResult::isApplied);
    assertThat(after.valuesByKey()).hasSize(10);
    assertThat(maps).hasValueGreaterThanOrEqualTo(7);
  }

  @Test
  void a_map_that_makes_no_sense_fails_the_rows_that_wait_for_it_and_no_others() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    try (TableClient client = client();
        TableWriter writer = client.openWriter("t", QUICK)) {
      Map<Long, RowResult> results = new ConcurrentHashMap<>();
      add(writer, results, 0, 3);
      writer.flush();
      FakeTable after = new FakeTable(1, 2, 5).serve(server);
      server.on(
          Operation.PARTITION_MAP,
          (connection, frame) ->
              connection.answer(
                  frame, Json.encode(new TableDescription(1, FakeTable.meta(), 0, List.of()))));
      results.clear();
      add(writer, results, 0, 3);
      writer.flush();
      assertThat(byOutcome(results)).containsOnlyKeys(Outcome.NOT_SENT);
      assertThat(results.get(0L).message()).contains("no partition");
      after.serve(server);
      add(writer, results, 0, 3);
      writer.flush();
      assertThat(byOutcome(results)).containsOnlyKeys(Outcome.APPLIED);
      assertThat(writer.bufferedBytes()).isZero();
    }
    assertThat(table.valuesByKey()).hasSize(3);
  }

  @Test
  void a_writer_that_is_abandoned_does_not_wait_for_a_newer_map() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    CountDownLatch asked = new CountDownLatch(1);
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (TableClient client =
            TableClient.connect(
                server
                    .config()
                    .withRetryDeadline(Duration.ofHours(1))
                    .withWriteRetryDeadline(Duration.ofHours(1)));
        TableWriter writer = client.openWriter("t", QUICK)) {
      server.on(Operation.WRITE, (c, frame) -> c.refuse(frame, ErrorCode.WRONG_PARTITION));
      server.on(Operation.PARTITION_MAP, (c, frame) -> asked.countDown());
      add(writer, results, 0, 3);
      Waits.await(asked);
      writer.abandon();
    }
    assertThat(byOutcome(results)).containsOnlyKeys(Outcome.NOT_SENT);
    assertThat(results).hasSize(3);
    assertThat(table.batches()).isZero();
  }
}
