package io.tunnel.it.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.condition.Condition;
import io.tunnel.fixtures.Poll;
import io.tunnel.it.history.Call.BatchPlace;
import io.tunnel.it.history.Call.Kind;
import io.tunnel.it.history.Call.Outcome;
import io.tunnel.it.history.LinearizabilityCore.Verdict;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;

/**
 * Clients that read and write few rows, and a history of what the clients asked and were told. Half
 * of the writes have a condition, two of five add to the row, and a fifth is atomic batches.
 *
 * <p>The search for an order grows fast with the calls to one row. So a long run turns to other
 * rows now and then: {@link #turn}.
 */
public final class HistoryClients {

  private static final int ATOMIC_ROWS = 4;
  private static final int STATES_MAX = 2_000_000;

  /** Keys of a partition are distinct from keys of others, and of other turns. */
  private static final long PARTITION_STRIDE = 1_000_000;

  private static final long TURN_STRIDE = 1_000;

  private final Shape shape;
  private final List<Thread> threads = new ArrayList<>();
  private final HistoryLines history = new HistoryLines();
  private final AtomicLong values = new AtomicLong();
  private final AtomicLong ended = new AtomicLong();
  private final AtomicReference<Optional<Throwable>> failure =
      new AtomicReference<>(Optional.empty());
  private final AtomicLong turn = new AtomicLong();
  private volatile boolean isOver;

  /**
   * How much there is.
   *
   * @param partitions of the table
   * @param keys of each partition, in each turn
   */
  public record Shape(int clients, int partitions, int keys) {}

  /** Creates the table, and clients that wait for {@link #start}. */
  public HistoryClients(ClientConfig config, Shape shape) {
    this.shape = shape;
    List<PrimaryKeySchema> key = List.of(new PrimaryKeySchema("id", PrimaryKeyType.INTEGER));
    List<PrimaryKeyValue> splits =
        LongStream.range(1, shape.partitions())
            .mapToObj(partition -> PrimaryKeyValue.fromLong(partition * PARTITION_STRIDE))
            .toList();
    try (TableClient client = TableClient.connect(config)) {
      var unused = client.createTable(new TableMeta("rows", key), splits);
    }
    for (int client = 0; client < shape.clients(); client++) {
      int number = client;
      Thread thread = new Thread(() -> run(number, config), "history-" + client);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  /** The clients begin. */
  public void start() {
    threads.forEach(Thread::start);
  }

  /** Returns when so many more calls have ended. */
  public void awaitCalls(int count) {
    long wanted = ended.get() + count;
    Poll.until("calls go on", () -> failure.get().isPresent() || ended.get() >= wanted);
    requireFine();
  }

  private void requireFine() {
    failure
        .get()
        .ifPresent(
            e -> {
              throw new AssertionError("a client failed", e);
            });
  }

  /** From now on the clients use rows that nobody has used. */
  public void turn() {
    var unused = turn.incrementAndGet();
  }

  /** Ends the clients; returns when each has its last answer. */
  public void end() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      thread.join();
    }
    requireFine();
  }

  /**
   * Requires an order of the calls to each row.
   *
   * @param file which gets the history
   * @return calls of the history
   */
  public List<Call> requireLinearizable(Path file) throws IOException {
    var unused = Files.write(file, history.lines());
    List<Call> calls = HistoryLines.read(Files.readAllLines(file));
    assertThat(calls).extracting(Call::outcome).contains(Outcome.OK, Outcome.UNMET);
    Map<Long, Verdict> verdicts = new LinearizabilityCore(STATES_MAX).check(calls);
    assertThat(verdicts.size()).isGreaterThanOrEqualTo(shape.partitions() * shape.keys());
    verdicts.forEach(
        (key, verdict) ->
            assertThat(verdict)
                .as(() -> "key " + key + " of\n" + linesOf(key))
                .isEqualTo(Verdict.LINEARIZABLE));
    return calls;
  }

  /** All lines in which a key, or an outcome, stands. */
  private String linesOf(long key) {
    return String.join(
        "\n",
        history.lines().stream()
            .filter(line -> !line.contains("\"invoke\"") || line.contains("\"key\":" + key + ","))
            .toList());
  }

  private void run(int number, ClientConfig config) {
    Random random = new Random(number);
    try (TableClient client = TableClient.connect(config)) {
      while (!isOver) {
        long first =
            random.nextInt(shape.partitions()) * PARTITION_STRIDE + turn.get() * TURN_STRIDE;
        long key = first + random.nextInt(shape.keys());
        switch (random.nextInt(6)) {
          case 0, 1 -> get(client, number, key);
          case 2 -> writeAtomically(client, number, first, random);
          default -> write(client, number, key, random);
        }
        ended.incrementAndGet();
      }
    } catch (RuntimeException | AssertionError e) {
      failure.set(Optional.of(e));
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

  /** One to four rows of the partition of {@code first}, some of them several times. */
  private void writeAtomically(TableClient client, int number, long first, Random random) {
    List<Asked> batch = new ArrayList<>();
    long batchNumber = values.incrementAndGet();
    int rows = 1 + random.nextInt(ATOMIC_ROWS);
    for (int i = 0; i < rows; i++) {
      long key = first + random.nextInt(Math.min(3, shape.keys()));
      batch.add(ask(number, key, random, Optional.of(new BatchPlace(batchNumber, i))));
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
  private long recent(Random random, long value) {
    return Math.max(1, value - random.nextInt(2 * shape.partitions() * shape.keys()));
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
