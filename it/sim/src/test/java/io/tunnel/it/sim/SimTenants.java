package io.tunnel.it.sim;

import io.tunnel.it.sim.machine.SimProcess;
import io.tunnel.it.sim.machine.SimThread;
import io.tunnel.it.sim.truth.LockTruth;
import io.tunnel.it.sim.truth.WrittenTruth;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.sdk.BatchWriteResult;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.RowResult;
import io.tunnel.sdk.RowSession;
import io.tunnel.sdk.SimTables;
import io.tunnel.sdk.TableClient;
import io.tunnel.sdk.transport.SimPorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Programs that bind rows to sessions of the SDK, and take locks: each opens a session, writes in
 * it, closes it, is stopped for longer than its lease, or is killed.
 */
public final class SimTenants {

  private static final int PROGRAMS = 3;
  private static final int LOCKS = 2;

  /** Keys that nobody else writes. */
  private static final int LOCK_IDS_FROM = 500;

  private final SimWorld<?> world;
  private final Sessions sessions;
  private final SplittableRandom random;
  private final List<Integer> partitions;

  /** Rows of a table with a time to live go without their session, and so do locks. */
  private final boolean hasLocks;

  private final LockTruth locks = new LockTruth();
  private final List<Program> programs = new ArrayList<>();

  /** Longer than the lease of any session. */
  static final long LEASE_NANOS_MAX = TimeUnit.SECONDS.toNanos(7);

  /** What became of a session or of a lock. */
  public enum Did {
    SESSION_ENDED,
    SESSION_CLOSED,
    LOCK_TAKEN,
    LOCK_REFUSED
  }

  /** The server or the cluster that keeps the sessions. */
  public interface Sessions {

    /** A program uses a session: an open session must be in the catalog. */
    void requireKnown(RowSession session);

    /** How often the server was restored. */
    default int restores() {
      return 0;
    }
  }

  /**
   * Programs of a table whose partitions are these, in the order of their keys.
   *
   * @param hasLocks whether rows go with their sessions alone
   */
  public SimTenants(
      SimWorld<?> world,
      Sessions sessions,
      SplittableRandom random,
      List<Integer> partitions,
      boolean hasLocks) {
    this.world = world;
    this.sessions = sessions;
    this.random = random;
    this.partitions = List.copyOf(partitions);
    this.hasLocks = hasLocks;
    for (int i = 0; i < PROGRAMS; i++) {
      programs.add(new Program("tenant." + i));
    }
  }

  /** The server was restored. */
  public void restored() {
    locks.restored();
  }

  /** Lets any program do something. */
  public void act() {
    programs.get(random.nextInt(PROGRAMS)).act();
  }

  private final class Program {
    private final String name;
    private SimProcess process;
    private SimThread thread;
    private ClientConfig config;
    private TableClient client;
    private boolean isBusy;
    private Optional<RowSession> session = Optional.empty();

    /** Of the rows of the session. */
    private WrittenTruth.Writer truth;

    private final Map<Long, LockTruth.Held> held = new HashMap<>();

    Program(String name) {
      this.name = name;
      begin();
    }

    private void begin() {
      process = world.process(name);
      thread = process.thread("program");
      config =
          ClientConfig.of(world.endpoints())
              .withConnectDeadline(Duration.ofSeconds(1))
              .withRequestDeadline(Duration.ofMillis(300 + random.nextInt(2_000)))
              .withRetryDeadline(Duration.ofMillis(500 + random.nextInt(4_000)))
              .withWriteRetryDeadline(Duration.ofMillis(500 + random.nextInt(8_000)));
      client = SimTables.over(config, SimPorts.of(world.network(), process, Optional.empty()));
      isBusy = false;
      session = Optional.empty();
      held.clear();
    }

    void act() {
      int dice = random.nextInt(30);
      if (dice == 0) {
        world.trace.add(name + " is killed");
        world.end(process);
        begin();
      } else if (dice == 1) {
        process.pause(TimeUnit.MILLISECONDS.toNanos(random.nextInt(8_000)));
      } else if (!isBusy) {
        thread.execute(() -> work(dice));
      }
    }

    private void work(int dice) {
      if (isBusy) {
        return;
      }
      session.ifPresent(open -> world.watch(() -> sessions.requireKnown(open)));
      if (session.filter(RowSession::isOpen).isEmpty()) {
        if (session.isPresent()) {
          world.count(Did.SESSION_ENDED);
        }
        open();
      } else if (dice < 5) {
        close(session.get());
      } else if (dice < 14 && hasLocks) {
        lock(session.get());
      } else {
        write(session.get());
      }
    }

    private void open() {
      isBusy = true;
      session = Optional.empty();
      held.clear();
      Duration lease = Duration.ofMillis(2_000 + random.nextInt(4_000));
      var unused =
          SimTables.openSession(client, lease, Operator.TABLE)
              .whenComplete(
                  (opened, failure) -> {
                    isBusy = false;
                    session = Optional.ofNullable(opened);
                    truth = world.written().writer(true, config.requestDeadline().toNanos());
                  });
    }

    private void close(RowSession open) {
      isBusy = true;
      held.values().forEach(LockTruth.Held::givenBack);
      var unused =
          SimTables.close(open)
              .whenComplete(
                  (closed, failure) -> {
                    isBusy = false;
                    session = Optional.empty();
                    if (failure == null) {
                      world.count(Did.SESSION_CLOSED);
                    }
                  });
    }

    private void write(RowSession open) {
      int place = random.nextInt(partitions.size());
      List<RowChange> changes = new ArrayList<>();
      List<WrittenTruth.Row> rows = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        ColumnValue value = ColumnValue.fromLong(truth.nextValue());
        changes.add(
            new RowPutChange(AnyRows.anyKey(place, random), List.of(new Column("v", value))));
        rows.add(truth.added(partitions.get(place), changes.get(changes.size() - 1)));
      }
      var unused =
          open.tryWriteAsync(Operator.TABLE, changes).thenAccept(result -> ended(rows, result));
    }

    private void ended(List<WrittenTruth.Row> rows, BatchWriteResult result) {
      for (int i = 0; i < rows.size(); i++) {
        WrittenTruth.Row row = rows.get(i);
        RowResult told = result.results().get(i);
        world.watch(() -> row.ended(told));
      }
    }

    /** Takes a lock, or gives it back. */
    private void lock(RowSession open) {
      int place = random.nextInt(partitions.size());
      long id = (long) place * AnyRows.IDS_PER_PARTITION + LOCK_IDS_FROM + random.nextInt(LOCKS);
      PrimaryKey key = PrimaryKey.builder().add("id", id).build();
      Optional<LockTruth.Held> has = Optional.ofNullable(held.remove(id));
      has.ifPresent(LockTruth.Held::givenBack);
      ColumnValue value = ColumnValue.fromLong(truth.nextValue());
      RowChange change =
          has.isPresent()
              ? new RowDeleteChange(key)
              : new RowPutChange(
                  key, List.of(new Column("v", value)), RowExistenceExpectation.EXPECT_NOT_EXIST);
      List<WrittenTruth.Row> rows = List.of(truth.added(partitions.get(place), change));
      int restoresBefore = sessions.restores();
      isBusy = true;
      var unused =
          open.tryWriteAsync(Operator.TABLE, List.of(change))
              .thenAccept(
                  result -> {
                    isBusy = false;
                    ended(rows, result);
                    RowResult told = result.results().get(0);
                    if (has.isEmpty() && told.isApplied()) {
                      world.count(Did.LOCK_TAKEN);
                      if (restoresBefore != sessions.restores()) {
                        return;
                      }
                      world.watch(() -> held.put(id, locks.taken(id, open, told.position())));
                    } else if (told.error().equals(Optional.of(ErrorCode.CONDITION_FAILED))) {
                      world.count(Did.LOCK_REFUSED);
                    }
                  });
    }
  }
}
