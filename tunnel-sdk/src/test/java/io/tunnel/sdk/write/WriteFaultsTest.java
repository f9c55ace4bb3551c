package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.transport.ClientPort;
import io.tunnel.sdk.transport.EventLoops;
import io.tunnel.sdk.transport.Nodes;
import io.tunnel.sdk.transport.SystemClock;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.sdk.transport.trust.LoadedConfig;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An error anywhere on the way of a batch: each row has an outcome, and the lane is free. */
class WriteFaultsTest extends WriterFixture {

  /** More calls of the clock than the writes of a world make. */
  private static final int CALLS_MAX = 60;

  /** A clock whose call with a chosen number throws, as any call does when memory is short. */
  private static final class Faulty implements Ticker {
    private final Ticker clock = new SystemClock();
    private final AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);

    @Override
    public long nanos() {
      if (left.decrementAndGet() == 0) {
        throw new OutOfMemoryError("as a test says");
      }
      return clock.nanos();
    }
  }

  @Test
  void an_error_at_any_step_ends_the_batch_with_an_outcome_and_frees_the_lane() throws Exception {
    FakeTable table = new FakeTable(1, 1).serve(server);
    AtomicInteger requests = new AtomicInteger();
    server.on(
        Operation.WRITE,
        (connection, frame) -> {
          switch (requests.incrementAndGet() % 4) {
            case 0 -> connection.drop();
            case 1 -> connection.refuse(frame, ErrorCode.BUSY);
            case 2 -> connection.answer(frame, new byte[] {1, 2, 3});
            default ->
                connection.answer(
                    frame, table.apply(WriteRequest.decode(frame.payload()).batch()).encode());
          }
        });
    TableDescription map = Json.decode(table.description(), TableDescription.class);
    PartitionMaps maps = () -> CompletableFuture.completedFuture(map);
    TableWriterConfig config = TableWriterConfig.DEFAULTS.withLinger(Duration.ZERO);
    boolean wasReached = true;
    for (int call = 1; call <= CALLS_MAX && wasReached; call++) {
      Faulty clock = new Faulty();
      try (EventLoops.Place place = new EventLoops(1).place();
          Nodes nodes =
              new Nodes(
                  LoadedConfig.of(server.config()), ClientPort.of(place, new SystemClock()))) {
        WriteEngine engine =
            WriteEngine.opening(nodes, clock, maps, config, Optional.empty()).join();
        wasReached = write(engine, clock, call);
        engine.close();
      }
    }
    assertThat(wasReached).as("every call of the clock failed once").isFalse();
  }

  /** Whether the call of the clock was reached. */
  private static boolean write(WriteEngine engine, Faulty clock, int call) throws Exception {
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    AtomicInteger told = new AtomicInteger();
    RowCallback callback =
        (row, result) -> {
          told.incrementAndGet();
          results.put(row.primaryKey().getPrimaryKeyColumns().get(0).getValue().asLong(), result);
        };
    clock.left.set(call);
    int refused = 0;
    for (long id = 1; id <= 6; id++) {
      try {
        engine.add(row(id, id), callback);
      } catch (OutOfMemoryError e) {
        refused++; // Told to the caller, who may not count on an outcome.
      }
    }
    CompletableFuture<Void> flushed =
        CompletableFuture.runAsync(
            () -> {
              try {
                engine.flush();
              } catch (OutOfMemoryError e) {
                engine.flush();
              }
            });
    flushed.get(60, TimeUnit.SECONDS);
    boolean wasReached = clock.left.get() <= 0;
    clock.left.set(Integer.MAX_VALUE);
    assertThat(results.size()).as("call %d", call).isBetween(6 - refused, 6);
    assertThat(told.get()).as("call %d: each row once", call).isEqualTo(results.size());
    assertThat(engine.bufferedBytes()).as("call %d", call).isZero();
    CompletableFuture<RowResult> next = new CompletableFuture<>();
    for (int attempt = 0; attempt < 4 && !isApplied(next); attempt++) {
      CompletableFuture<RowResult> tried = new CompletableFuture<>();
      engine.add(row(7, call), (row, result) -> tried.complete(result));
      tried.get(60, TimeUnit.SECONDS);
      next = tried;
    }
    assertThat(next.join().outcome()).as("call %d: the lane is free", call).isIn(Outcome.APPLIED);
    return wasReached;
  }

  private static boolean isApplied(CompletableFuture<RowResult> result) {
    return result.isDone() && result.join().outcome() == Outcome.APPLIED;
  }

  @Test
  void a_callback_that_throws_keeps_no_row_and_no_flush_waiting() {
    new FakeTable(1, 1).serve(server);
    Map<Long, RowResult> results = new ConcurrentHashMap<>();
    try (var client = client();
        var writer = client.openWriter("t", QUICK)) {
      writer.add(
          row(1, 1),
          (row, result) -> {
            throw new StackOverflowError("as a test says");
          });
      add(writer, results, 2, 3);
      writer.flush();
    }
    assertThat(byOutcome(results)).isEqualTo(Map.of(Outcome.APPLIED, List.of(2L, 3L, 4L)));
  }
}
