package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tunnel.model.RowChange;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.WriteFailedException;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.fake.Waits;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Clients that are closed while others begin to write. */
class WriteEnginesTest extends WriterFixture {

  private static final TableDescription MAP =
      Json.decode(new FakeTable(1, 1).description(), TableDescription.class);

  @Test
  void an_engine_whose_map_came_while_the_client_was_closed_takes_no_rows() {
    SystemClock clock = new SystemClock();
    try (EventLoops.Place place = new EventLoops(1).place();
        Nodes nodes = new Nodes(LoadedConfig.of(server.config()), ClientPort.of(place, clock))) {
      WriteEngines engines = new WriteEngines(nodes, clock, TableWriterConfig.DEFAULTS);
      PartitionMaps maps =
          () -> {
            engines.close();
            return CompletableFuture.completedFuture(MAP);
          };
      assertThatThrownBy(() -> engines.shared("t", table -> maps))
          .isInstanceOf(ConnectionException.class)
          .hasMessageContaining("closed");
      assertThatThrownBy(() -> engines.open(maps, TableWriterConfig.DEFAULTS))
          .isInstanceOf(ConnectionException.class);
    }
  }

  @Test
  void a_first_write_on_a_callback_thread_does_not_wait_for_a_map_that_this_thread_brings()
      throws Exception {
    SystemClock clock = new SystemClock();
    ExecutorService threads = Executors.newCachedThreadPool();
    try (EventLoops.Place place = new EventLoops(1).place();
        Nodes nodes = new Nodes(LoadedConfig.of(server.config()), ClientPort.of(place, clock))) {
      WriteEngines engines = new WriteEngines(nodes, clock, TableWriterConfig.DEFAULTS);
      CountDownLatch asked = new CountDownLatch(1);
      CompletableFuture<TableDescription> late = new CompletableFuture<>();
      PartitionMaps maps =
          () -> {
            asked.countDown();
            return late;
          };
      Future<WriteEngine> first = threads.submit(() -> engines.shared("t", table -> maps));
      Waits.await(asked);
      var onLoop = place.loop().submit(() -> engines.shared("u", table -> maps));
      assertThat(failure(onLoop))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the first write to table 'u' would block a callback thread");
      late.complete(MAP);
      WriteEngine opened = first.get(60, TimeUnit.SECONDS);
      var known = place.loop().submit(() -> engines.shared("t", table -> maps));
      assertThat(known.get(60, TimeUnit.SECONDS)).isSameAs(opened);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void engines_that_are_open_are_closed_and_a_table_has_one_for_all() {
    SystemClock clock = new SystemClock();
    try (EventLoops.Place place = new EventLoops(1).place();
        Nodes nodes = new Nodes(LoadedConfig.of(server.config()), ClientPort.of(place, clock))) {
      WriteEngines engines = new WriteEngines(nodes, clock, TableWriterConfig.DEFAULTS);
      PartitionMaps maps = () -> CompletableFuture.completedFuture(MAP);
      WriteEngine shared = engines.shared("t", table -> maps);
      assertThat(engines.shared("t", table -> maps)).isSameAs(shared);
      WriteEngine own = engines.open(maps, TableWriterConfig.DEFAULTS);
      engines.close();
      for (WriteEngine engine : List.of(shared, own)) {
        assertThatThrownBy(() -> engine.add(row(1, 1), (row, result) -> {}))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("closed");
      }
    }
  }

  @Test
  void a_first_write_whose_map_does_not_come_ends_when_the_client_is_closed() throws Exception {
    CountDownLatch asked = new CountDownLatch(2);
    server.on(Operation.PARTITION_MAP, (connection, frame) -> asked.countDown());
    ExecutorService threads = Executors.newCachedThreadPool();
    TableClient client = client();
    try {
      List<Future<?>> calls =
          List.of(
              threads.submit(() -> client.write("t", List.of(row(1, 1)))),
              // Waits for the first, or asks for itself: both must end.
              threads.submit(() -> client.write("t", List.of(row(2, 2)))),
              threads.submit(() -> client.openWriter("t")));
      Waits.await(asked);
      client.close();
      for (Future<?> call : calls) {
        assertThat(failure(call)).isInstanceOf(ConnectionException.class);
      }
    } finally {
      client.close();
      threads.shutdownNow();
    }
  }

  @Test
  void rows_that_are_added_while_a_writer_is_closed_have_outcomes_when_it_is() {
    FakeTable table = new FakeTable(1, 1).serve(server);
    List<CompletableFuture<RowResult>> outcomes = new CopyOnWriteArrayList<>();
    try (TableClient client = client()) {
      TableWriter writer = client.openWriter("t", PATIENT);
      server.on(
          Operation.WRITE,
          (connection, frame) -> {
            WriteRequest request = WriteRequest.decode(frame.payload());
            if (outcomes.size() == 1) {
              // What the closing waits for is sent already: this row is none of it.
              outcomes.add(writer.add(row(1, 2)));
            }
            connection.answer(frame, table.apply(request.batch()).encode());
          });
      outcomes.add(writer.add(row(1, 1)));
      writer.close();
      assertThat(outcomes).hasSize(2).allMatch(CompletableFuture::isDone);
      assertThat(outcomes).allMatch(outcome -> outcome.join().isApplied());
      assertThat(table.valuesByKey().get(1L)).containsExactly(1L, 2L);
    }
  }

  /** Each client is closed at another moment of its first calls. */
  @Test
  void whatever_is_called_beside_the_closing_ends_with_an_answer_or_a_typed_error()
      throws Exception {
    new FakeTable(1, 1, 100).serve(server);
    server.on(Operation.GET_ROW, (connection, frame) -> connection.answer(frame, new byte[0]));
    Random random = new Random(5);
    ExecutorService threads = Executors.newCachedThreadPool();
    AtomicInteger told = new AtomicInteger();
    int written = 0;
    int spanNanos = 1_500_000;
    try {
      for (int round = 0; round < 40; round++) {
        TableClient client = client();
        CountDownLatch begun = new CountDownLatch(4);
        List<Future<?>> calls = new ArrayList<>();
        calls.add(threads.submit(() -> counted(begun, () -> client.write("t", pair()))));
        calls.add(threads.submit(() -> counted(begun, () -> client.tryWrite("t", pair()))));
        calls.add(threads.submit(() -> counted(begun, () -> buffered(client, told))));
        calls.add(threads.submit(() -> counted(begun, () -> client.partitionMap("t"))));
        Waits.await(begun);
        LockSupport.parkNanos(random.nextInt(spanNanos));
        client.close();
        for (Future<?> call : calls) {
          Throwable failure = failure(call);
          written += failure == null ? 1 : 0;
          assertThat(failure)
              .as("round %d", round)
              .satisfiesAnyOf(
                  none -> assertThat(none).isNull(),
                  some ->
                      assertThat(some)
                          .isInstanceOfAny(
                              ConnectionException.class,
                              WriteFailedException.class,
                              IllegalStateException.class));
        }
        // On a slow machine first calls take longer: some rounds must reach their end.
        spanNanos = told.get() == 0 ? Math.min(2 * spanNanos, 500_000_000) : spanNanos;
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(told).as("some writers were in time").hasPositiveValue();
    assertThat(written).as("some calls were in time").isPositive();
  }

  private static List<RowChange> pair() {
    return List.of(row(1, 1), row(101, 1));
  }

  private static void counted(CountDownLatch begun, Runnable call) {
    begun.countDown();
    call.run();
  }

  private static void buffered(TableClient client, AtomicInteger told) {
    TableWriter writer = client.openWriter("t", QUICK);
    List<CompletableFuture<RowResult>> outcomes = new ArrayList<>();
    try {
      outcomes.add(writer.add(row(1, 2)));
      outcomes.add(writer.add(row(101, 2)));
    } catch (IllegalStateException e) {
      // The writer is closed: nothing was added.
    }
    for (CompletableFuture<RowResult> outcome : outcomes) {
      assertThat(outcome.join().outcome()).isIn(Outcome.APPLIED, Outcome.NOT_SENT);
      told.incrementAndGet();
    }
  }

  /** What a call ended with; null when it succeeded. */
  private static Throwable failure(Future<?> call) {
    Throwable thrown = catchThrowable(() -> call.get(60, TimeUnit.SECONDS));
    if (thrown instanceof TimeoutException) {
      throw new AssertionError("a call waits for ever");
    }
    return thrown instanceof ExecutionException ? thrown.getCause() : thrown;
  }
}
