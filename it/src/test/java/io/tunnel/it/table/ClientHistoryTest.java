package io.tunnel.it.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.history.Call;
import io.tunnel.it.history.Call.BatchPlace;
import io.tunnel.it.history.Call.Kind;
import io.tunnel.it.history.Call.Outcome;
import io.tunnel.it.history.HistoryLines;
import io.tunnel.it.history.LinearizabilityCore;
import io.tunnel.it.history.LinearizabilityCore.Verdict;
import io.tunnel.it.process.ServerProcess;
import io.tunnel.it.process.Stage;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.TableMeta;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.TableClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several clients read and write few rows of a server that is killed, and are told nothing that a
 * single row, touched by one call after the other, would not have told them.
 */
@Tag("proof-service")
class ClientHistoryTest {

  private static final int CLIENTS = 4;
  private static final int KEYS = 12;
  private static final int KEYS_OF_PARTITION = KEYS / 2;
  private static final int ATOMIC_ROWS = 4;
  private static final int STATES_MAX = 2_000_000;
  private static final int CALLS_BETWEEN_KILLS = 400;
  private static final int KILLS = 2;

  @RegisterExtension final Stage stage = new Stage();
  @TempDir Path directory;

  private final HistoryLines history = new HistoryLines();
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private volatile boolean isOver;

  @Test
  void each_row_behaves_as_one_row_while_the_server_is_killed() throws Exception {
    ServerProcess server = stage.guardedServer();
    TableMeta table =
        new TableMeta("rows", List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER)));
    List<PrimaryKeyValue> splits = List.of(PrimaryKeyValue.fromLong(KEYS_OF_PARTITION));
    var unused = stage.tables(server).createTable(table, splits);
    List<Thread> clients = new ArrayList<>();
    for (int client = 0; client < CLIENTS; client++) {
      int number = client;
      clients.add(new Thread(() -> run(number, server.endpoint())));
    }
    clients.forEach(Thread::start);
    for (int kill = 0; kill < KILLS; kill++) {
      awaitCalls();
      server.kill();
      server.start();
    }
    awaitCalls();
    isOver = true;
    for (Thread client : clients) {
      client.join();
    }
    requireLinearizable();
  }

  private void awaitCalls() {
    long wanted = ended.get() + CALLS_BETWEEN_KILLS;
    Poll.until("calls go on", () -> ended.get() >= wanted);
  }

  private void requireLinearizable() throws IOException {
    Path file = Files.write(directory.resolve("history.jsonl"), history.lines());
    List<Call> calls = HistoryLines.read(Files.readAllLines(file));
    assertThat(calls).extracting(Call::outcome).contains(Outcome.OK, Outcome.UNMET);
    Map<Long, Verdict> verdicts = new LinearizabilityCore(STATES_MAX).check(calls);
    assertThat(verdicts).hasSize(KEYS);
    verdicts.forEach(
        (key, verdict) ->
            assertThat(verdict)
                .as(() -> "key " + key + " of\n" + String.join("\n", history.lines()))
                .isEqualTo(Verdict.LINEARIZABLE));
  }

  private void run(int number, String endpoint) {
    ClientConfig config =
        ClientConfig.of(endpoint)
            .withRetryDeadline(Duration.ofSeconds(20))
            .withWriteRetryDeadline(Duration.ofSeconds(20));
    Random random = new Random(number);
    try (TableClient client = TableClient.connect(config)) {
      while (!isOver) {
        long key = random.nextInt(KEYS);
        switch (random.nextInt(6)) {
          case 0, 1 -> get(client, number, key);
          case 2 -> writeAtomically(client, number, key, random);
          default -> write(client, number, key, random);
        }
        ended.incrementAndGet();
      }
    }
  }

  private static PrimaryKey id(long key) {
    return PrimaryKey.builder().add("id", key).build();
  }

  private void get(TableClient client, int number, long key) {
    RowExistenceExpectation none = RowExistenceExpectation.IGNORE;
    long call =
        history.invoked(
            number, key, Kind.GET, none, Optional.empty(), Optional.empty(), System.nanoTime());
    try {
      Optional<Long> read =
          client.getRow("rows", id(key)).flatMap(row -> row.value("v")).map(ColumnValue::asLong);
      history.ended(call, Outcome.OK, read, Optional.empty(), System.nanoTime());
    } catch (RefusedException | ConnectionException e) {
      end(call, Outcome.REFUSED);
    }
  }

  private void write(TableClient client, int number, long key, Random random) {
    Asked asked = ask(number, key, random, Optional.empty());
    tell(asked, client.tryWrite("rows", List.of(asked.change())).results().get(0));
  }

  /** One to four rows of the partition of {@code key}, some of them several times. */
  private void writeAtomically(TableClient client, int number, long key, Random random) {
    List<Asked> batch = new ArrayList<>();
    long batchNumber = values.incrementAndGet();
    int rows = 1 + random.nextInt(ATOMIC_ROWS);
    for (int i = 0; i < rows; i++) {
      long ofPartition = key / KEYS_OF_PARTITION * KEYS_OF_PARTITION + random.nextInt(3);
      batch.add(ask(number, ofPartition, random, Optional.of(new BatchPlace(batchNumber, i))));
    }
    List<RowResult> results =
        client.tryWriteAtomically("rows", batch.stream().map(Asked::change).toList()).results();
    requireWhole(results);
    for (int i = 0; i < rows; i++) {
      tell(batch.get(i), results.get(i));
    }
  }

  /** Rows of a batch have one outcome, and are at positions that follow each other. */
  private static void requireWhole(List<RowResult> results) {
    assertThat(results).extracting(RowResult::outcome).containsOnly(results.get(0).outcome());
    if (results.get(0).outcome() == RowResult.Outcome.APPLIED) {
      long first = results.get(0).position();
      assertThat(results)
          .extracting(RowResult::position)
          .containsExactlyElementsOf(
              LongStream.range(first, first + results.size()).boxed().toList());
    }
  }

  /** A write that the history knows. */
  private record Asked(long call, RowChange change) {}

  private Asked ask(int number, long key, Random random, Optional<BatchPlace> batch) {
    RowExistenceExpectation[] conditions = RowExistenceExpectation.values();
    RowExistenceExpectation condition = conditions[random.nextInt(conditions.length)];
    if (batch.isPresent() && random.nextBoolean()) {
      // One row whose condition does not hold refuses a batch.
      condition = RowExistenceExpectation.IGNORE;
    }
    long value = values.incrementAndGet();
    Kind[] kinds = {Kind.PUT, Kind.UPDATE, Kind.DELETE, Kind.ADD, Kind.ADD};
    Kind kind = kinds[random.nextInt(kinds.length)];
    Optional<Long> expected =
        random.nextInt(3) == 0 ? Optional.of(recent(random, value)) : Optional.empty();
    RowChange change = change(kind, key, value, condition);
    if (expected.isPresent()) {
      change = change.onlyIf(Condition.parse("v = " + expected.get()));
    }
    Optional<Long> written = kind == Kind.DELETE ? Optional.empty() : Optional.of(value);
    long call =
        history.invoked(number, key, kind, condition, expected, written, System.nanoTime(), batch);
    return new Asked(call, change);
  }

  private void tell(Asked asked, RowResult result) {
    switch (result.outcome()) {
      case APPLIED ->
          history.ended(
              asked.call(),
              Outcome.OK,
              Optional.empty(),
              Optional.of(result.position()),
              System.nanoTime());
      case REJECTED -> {
        ErrorCode why = result.error().orElseThrow();
        assertThat(why).isIn(ErrorCode.CONDITION_FAILED, ErrorCode.BATCH_REFUSED);
        end(asked.call(), why == ErrorCode.CONDITION_FAILED ? Outcome.UNMET : Outcome.REFUSED);
      }
      case NOT_SENT -> end(asked.call(), Outcome.REFUSED);
      case IN_DOUBT -> end(asked.call(), Outcome.UNKNOWN);
    }
  }

  /** A value that was written lately, perhaps to the row. */
  private static long recent(Random random, long value) {
    return Math.max(1, value - random.nextInt(KEYS * 2));
  }

  private void end(long call, Outcome outcome) {
    history.ended(call, outcome, Optional.empty(), Optional.empty(), System.nanoTime());
  }

  private static RowChange change(
      Kind kind, long key, long value, RowExistenceExpectation condition) {
    ColumnValue written = ColumnValue.fromLong(value);
    return switch (kind) {
      case PUT -> new RowPutChange(id(key), List.of(new Column("v", written)), condition);
      case UPDATE ->
          new RowUpdateChange(id(key), List.of(new ColumnUpdate.Put("v", written)), condition);
      case ADD ->
          new RowUpdateChange(id(key), List.of(new ColumnUpdate.Increment("v", value)), condition);
      case DELETE -> new RowDeleteChange(id(key), condition);
      case GET -> throw new IllegalArgumentException("a read changes nothing");
    };
  }
}
