package io.tunnel.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.fixtures.Poll;
import io.tunnel.it.ledger.Mutation;
import io.tunnel.it.ledger.TestTable;
import io.tunnel.it.process.Service;
import io.tunnel.it.process.Stage;
import io.tunnel.model.Durability;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.TableWriter;
import io.tunnel.sdk.TableWriterConfig;
import io.tunnel.sdk.table.CreateTableRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A program that writes to five tables through one client, in every way that rows are written. It
 * rests while the service moves, and goes on with the same client, writer and batch numbers.
 */
final class CircleLoad implements AutoCloseable {

  static final String ROWS = "rows";
  static final String WHOLE = "whole";
  static final String NUMBERED = "numbered";
  static final String EXPIRING = "expiring";
  static final String BOUND = "bound";
  static final List<String> TABLES = List.of(ROWS, WHOLE, NUMBERED, EXPIRING, BOUND);

  /** Rows of an atomic batch. */
  static final int TOGETHER = 7;

  private static final Duration TTL = Duration.ofSeconds(8);
  private static final Duration LEASE = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = 4_000_000;
  private static final TestTable TABLE = new TestTable(ROWS, 3, Durability.OS);

  private final TableClient tables;
  private final TableWriter writer;
  private final SplittableRandom random = new SplittableRandom(46);
  private final Thread thread = new Thread(this::run, "load");

  /** Rounds that all writes of were acknowledged. */
  private final AtomicLong rounds = new AtomicLong();

  private Optional<RowSession> session = Optional.empty();
  private long number;

  // Guarded by this.
  private final Map<Integer, NavigableMap<Long, Mutation>> acknowledged = new HashMap<>();
  private boolean mustRest = true;
  private boolean isResting = true;
  private boolean isOver;
  private Optional<Throwable> failure = Optional.empty();

  /** Creates the tables. */
  CircleLoad(Stage stage, Service service) {
    tables = stage.tables(service);
    var unused = TABLE.create(tables);
    create(CreateTableRequest.builder(WHOLE).key("id", PrimaryKeyType.INTEGER));
    create(CreateTableRequest.builder(NUMBERED).key("shop", PrimaryKeyType.STRING).autoKey("n"));
    create(CreateTableRequest.builder(EXPIRING).key("id", PrimaryKeyType.INTEGER).ttl(TTL));
    create(CreateTableRequest.builder(BOUND).key("id", PrimaryKeyType.INTEGER));
    writer = tables.openWriter(ROWS, TableWriterConfig.DEFAULTS);
    thread.start();
  }

  private void create(CreateTableRequest.Builder request) {
    var unused = tables.createTable(request.build());
  }

  TableClient tables() {
    return tables;
  }

  static PrimaryKey key(long id) {
    return PrimaryKey.builder().add("id", id).build();
  }

  private static RowPutChange put(PrimaryKey key, long value) {
    return new RowPutChange(key, List.of(new Column("v", ColumnValue.fromLong(value))));
  }

  private void run() {
    try {
      while (mayGoOn()) {
        round();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  private synchronized void failed(Throwable reason) {
    failure = Optional.of(reason);
    isResting = true;
    notifyAll();
  }

  /** Waits for the end of a rest. */
  private boolean mayGoOn() {
    synchronized (this) {
      if (!mustRest || isOver) {
        return !isOver;
      }
    }
    writer.flush();
    synchronized (this) {
      isResting = true;
      notifyAll();
      await(() -> !mustRest || isOver);
      isResting = false;
      return !isOver;
    }
  }

  /** With the monitor. */
  private void await(BooleanSupplier isTrue) {
    try {
      while (!isTrue.getAsBoolean()) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private void round() {
    number++;
    for (int i = 0; i < 5; i++) {
      writer.add(TABLE.change(random, number * 5 + i), this::note);
    }
    List<RowChange> together = new ArrayList<>();
    for (long id = 0; id < TOGETHER; id++) {
      together.add(put(key(id), number));
    }
    note(together, tables.writeAtomically(WHOLE, together).results());
    List<RowChange> numbered = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      numbered.add(put(PrimaryKey.builder().add("shop", "s" + i).auto("n").build(), number));
    }
    noteNumbers(tables.write(NUMBERED, numbered).results());
    List<RowChange> expiring = List.of(put(key(number), number));
    note(expiring, tables.write(EXPIRING, expiring).results());
    List<RowChange> bound = List.of(put(key(number), number));
    List<RowResult> results = openSession().tryWrite(BOUND, bound).results();
    if (results.get(0).error().equals(Optional.of(ErrorCode.SESSION_ENDED))) {
      // A restore ends all sessions; the next write or renewal of the program tells.
      session = Optional.of(tables.openSession(LEASE));
      results = session.get().tryWrite(BOUND, bound).results();
    }
    note(bound, results);
    long unused = rounds.incrementAndGet();
  }

  /** Opens another session after the end of the former one. */
  private RowSession openSession() {
    if (session.filter(RowSession::isOpen).isEmpty()) {
      session = Optional.of(tables.openSession(LEASE));
    }
    return session.get();
  }

  /** The session of now; while the load rests. */
  RowSession session() {
    return session.orElseThrow();
  }

  private void note(List<RowChange> rows, List<RowResult> results) {
    for (int i = 0; i < rows.size(); i++) {
      note(rows.get(i), results.get(i));
    }
  }

  private synchronized void note(RowChange row, RowResult result) {
    if (result.isApplied()) {
      of(result).put(result.position(), Mutation.of(row));
    } else {
      failed(new AssertionError(row + ": " + result));
    }
  }

  private synchronized void noteNumbers(List<RowResult> results) {
    for (RowResult result : results) {
      assertThat(result.isApplied()).as("%s", result).isTrue();
      of(result).put(result.position(), Mutation.of(put(result.key().orElseThrow(), number)));
    }
  }

  private NavigableMap<Long, Mutation> of(RowResult result) {
    return acknowledged.computeIfAbsent(result.partition(), id -> new TreeMap<>());
  }

  /** What was acknowledged, by partition and position. */
  synchronized Map<Integer, NavigableMap<Long, Mutation>> acknowledged() {
    Map<Integer, NavigableMap<Long, Mutation>> copy = new HashMap<>();
    acknowledged.forEach((partition, all) -> copy.put(partition, new TreeMap<>(all)));
    return copy;
  }

  /** The restored service lacks the changes behind these positions. */
  synchronized void forgetBehind(Map<Integer, Long> ends) {
    acknowledged.forEach((partition, all) -> all.tailMap(ends.get(partition), false).clear());
  }

  /** Writes, or goes on to write. */
  synchronized void goOn() {
    mustRest = false;
    notifyAll();
  }

  /** Returns after this number of further rounds. */
  void awaitRounds(int more) {
    long goal = rounds.get() + more;
    Poll.until(
        Poll.LONG,
        () -> {
          requireNoFailure();
          return rounds.get() >= goal;
        },
        () -> rounds + " of " + goal + " rounds");
  }

  /** Returns when all writes are acknowledged, and the program rests. */
  void rest() {
    synchronized (this) {
      mustRest = true;
      await(() -> isResting);
    }
    requireNoFailure();
  }

  private synchronized void requireNoFailure() {
    failure.ifPresent(
        reason -> {
          throw new AssertionError("the load failed", reason);
        });
  }

  @Override
  public void close() {
    synchronized (this) {
      isOver = true;
      notifyAll();
    }
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    writer.abandon();
    Optional<RowSession> last = session;
    session = Optional.empty();
    try {
      last.ifPresent(RowSession::close);
    } catch (ConnectionException e) {
      // After a failed test the service may be gone.
    }
  }
}
