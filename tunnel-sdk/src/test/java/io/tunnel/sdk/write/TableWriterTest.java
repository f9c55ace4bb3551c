package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeConnection;
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
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TableWriterTest extends WriterFixture {

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
          client.tryWrite("t", List.of(row(1, 1), row(2, 2), row(3, 3), row(4, 4))).results();
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
