package io.tunnel.sdk.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowCallback;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowResult.Outcome;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.fake.FakeTable;
import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.transport.HandWorld;
import io.tunnel.wire.Operation;
import io.tunnel.wire.WriteRequest;
import io.tunnel.wire.WriterToken;
import io.tunnel.wire.control.Control.TableDescription;
import io.tunnel.wire.control.Json;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** An engine whose requests the test answers one by one: nothing happens by itself. */
abstract class HandFixture {

  static final TableWriterConfig AT_ONCE = TableWriterConfig.DEFAULTS.withLinger(Duration.ZERO);

  static final long RETRY_MS = 60_000;

  /** The longest pause between two attempts is half a second. */
  static final long PAUSE_MS = 600;

  final HandWorld world = new HandWorld();
  final Deque<CompletableFuture<TableDescription>> maps = new ArrayDeque<>();
  final Map<Long, RowResult> results = new TreeMap<>();
  final FakeTable split = new FakeTable(1, 3, 5);

  /** Rows below 5 are of partition 1, the others of partition 2. */
  FakeTable table = new FakeTable(1, 1, 5);

  final Service service = new Service();
  CompletableFuture<WriterToken> id =
      CompletableFuture.failedFuture(
          new RefusedException(ErrorCode.UNKNOWN_OPERATION, "no ids for writers"));
  SdkMeter meter = SdkMeter.NONE;
  int reads;
  WriteEngine engine;

  @BeforeEach
  void open() {
    open(AT_ONCE);
  }

  final ClientConfig client() {
    return ClientConfig.of("home:1")
        .withMeter(meter)
        .withRequestDeadline(Duration.ofHours(1))
        .withWriteRetryDeadline(Duration.ofMillis(RETRY_MS));
  }

  final void open(TableWriterConfig config) {
    reads = 0;
    give(map(table, Optional.of("a:1"), Optional.of("b:1")));
    engine =
        WriteEngine.opening(
                world.nodes(client()), world.ticker(), service, config, Optional.empty())
            .join();
    assertThat(reads).isEqualTo(1);
  }

  final class Service implements PartitionMaps {
    @Override
    public CompletableFuture<TableDescription> read() {
      reads++;
      return maps.remove();
    }

    @Override
    public CompletableFuture<WriterToken> openWriter(int tableId) {
      assertThat(tableId).isEqualTo(1);
      return id;
    }
  }

  static WriterToken token() {
    return WriterToken.of(5, Bytes.copyOf(new byte[WriterToken.SECRET_BYTES]));
  }

  static TableDescription map(FakeTable of, Optional<String> first, Optional<String> second) {
    return Json.decode(of.description(List.of(first, second)), TableDescription.class);
  }

  final void give(TableDescription map) {
    maps.add(CompletableFuture.completedFuture(map));
  }

  final CompletableFuture<TableDescription> late() {
    CompletableFuture<TableDescription> map = new CompletableFuture<>();
    maps.add(map);
    return map;
  }

  final RowCallback keep(long key) {
    return (row, result) -> assertThat(results.put(key, result)).as("told once").isNull();
  }

  final void add(long... keys) {
    for (long key : keys) {
      engine.add(WriterFixture.row(key, key), keep(key));
    }
    world.run();
  }

  final void addTogether(long... keys) {
    List<RowChange> rows = new ArrayList<>();
    List<RowCallback> callbacks = new ArrayList<>();
    for (long key : keys) {
      rows.add(WriterFixture.row(key, key));
      callbacks.add(keep(key));
    }
    engine.addAtomic(rows, callbacks);
    world.run();
  }

  /** The next request, which has to go to this node. */
  final HandWorld.Request write(String node) {
    HandWorld.Request request = world.next(node);
    assertThat(request.frame().operation()).isEqualTo(Operation.WRITE);
    return request;
  }

  static List<Integer> about(HandWorld.Request request) {
    var batch = WriteRequest.decode(request.frame().payload()).batch();
    return List.of(batch.partition(), batch.rowCount());
  }

  final void apply(HandWorld.Request request) {
    WriteRequest write = WriteRequest.decode(request.frame().payload());
    assertThat(table.refusal(write)).isEmpty();
    request.answer(table.apply(write.batch()).encode());
  }

  final void requireApplied(long... keys) {
    for (long key : keys) {
      assertThat(results).containsKey(key);
      assertThat(results.get(key).isApplied()).as("row %d: %s", key, results.get(key)).isTrue();
    }
    assertThat(world.waiting()).isZero();
    assertThat(engine.bufferedBytes()).isZero();
    assertThat(engine.flushing()).isDone();
  }

  final void requireOutcome(Outcome outcome, long... keys) {
    for (long key : keys) {
      assertThat(results).containsKey(key);
      assertThat(results.get(key).outcome()).as("row %d", key).isEqualTo(outcome);
    }
  }

  final void openWithId() {
    id = CompletableFuture.completedFuture(token());
    open(AT_ONCE);
  }
}
