package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.codec.SessionProof;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A shard with bound rows: real log, table and sweep, on the test's thread, beside a model that
 * knows whose each row is. What must hold is said in ADR 36: a row goes with its session, once, not
 * before the session, and never when somebody else wrote it last.
 */
final class BoundRowsSimulationTest {

  private static final int PARTITIONS = 2;
  private static final int KEYS = 8;
  private static final long NOBODY = 0;
  private static final List<RowExistenceExpectation> EXPECTATIONS =
      List.of(RowExistenceExpectation.values());
  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);

  @TempDir private Path directory;
  private TestShard shard;
  private TestShard.LogKind kind;
  private SessionSweep sweep;
  private SplittableRandom random;
  private long nanos;

  /** The sessions that the catalog has. */
  private final Set<Long> alive = new HashSet<>();

  private long lastSession;

  /** The sessions that have ended, and of which the shard says that no row is left. */
  private final Set<Long> closed = new HashSet<>();

  /** By partition and key, the session of each row, or {@link #NOBODY}. */
  private final TreeMap<String, Long> rows = new TreeMap<>();

  private final Map<Integer, Long> learned = new HashMap<>();
  private long unboundMeter;
  private long unboundInLog;

  private final class TestTime implements Shard.Clock {
    @Override
    public long epochMicros() {
      return 1_000_000_000_000L + nanos / 1_000;
    }

    @Override
    public long nanos() {
      nanos += 1_000;
      return nanos;
    }
  }

  private final class Counting extends NoMeter {
    @Override
    public void unbound(int shardId, long rowCount) {
      unboundMeter += rowCount;
    }
  }

  /** Does one thing, and takes in what the log has got. */
  private boolean step() throws IOException {
    boolean did = shard.step();
    learn();
    for (long session = 1; session <= lastSession; session++) {
      if (!alive.contains(session) && shard.now().bound().left(session) == 0) {
        closed.add(session);
      }
    }
    return did;
  }

  private void drain() throws IOException {
    while (step()) {
      // Until nothing waits.
    }
  }

  private void learn() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      long known = learned.getOrDefault(partition, 0L);
      if (shard.now().log().committed(partition) == known) {
        continue;
      }
      for (ChangeBatch batch : TestLogs.batches(shard.now().log(), partition, known + 1)) {
        assertThat(SessionProof.of(batch)).as("a secret in the log").isEmpty();
        for (RowCursor row = batch.rows(); row.next(); ) {
          long position = batch.basePosition() + row.index();
          if (position > learned.getOrDefault(partition, 0L)) {
            learned.put(partition, position);
            learn(row);
          }
        }
      }
    }
  }

  private void learn(RowCursor row) {
    String name = row.batch().partition() + "/" + nameOf(row);
    Long owner = rows.get(name);
    if (row.condition() == RowExistenceExpectation.EXPECT_EXIST) {
      assertThat(owner).as("%s is written because it exists", name).isNotNull();
    } else if (row.condition() == RowExistenceExpectation.EXPECT_NOT_EXIST) {
      assertThat(owner).as("%s is written because it does not exist", name).isNull();
    }
    if (row.deletionCause().isPresent()) {
      assertThat(row.kind()).isEqualTo(ChangeKind.DELETE);
      assertThat(row.deletionCause()).contains(DeletionCause.SESSION_ENDED);
      assertThat(owner).as("%s goes with a session, and is there", name).isNotNull();
      assertThat(owner).as("%s goes with a session, and is bound", name).isNotEqualTo(NOBODY);
      assertThat(alive).as("%s goes with a session that has ended", name).doesNotContain(owner);
      unboundInLog++;
    }
    if (row.session().isPresent()) {
      // A session may end while a write is under way; the row goes with the next sweep then.
      Set<Long> open =
          kind != TestShard.LogKind.OWN
              ? LongStream.rangeClosed(1, lastSession).boxed().collect(toSet())
              : alive;
      assertThat(open)
          .as("%s is bound to a session that lives", name)
          .contains(row.session().get());
      assertThat(closed)
          .as("%s is bound to a closed session", name)
          .doesNotContain(row.session().get());
    }
    if (row.kind() == ChangeKind.DELETE) {
      rows.remove(name);
    } else {
      rows.put(name, row.session().orElse(NOBODY));
    }
  }

  private static String nameOf(RowCursor row) {
    Bytes encoded = Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
    for (int id = 0; id < 400; id++) {
      if (keyBytes("k" + id).equals(encoded)) {
        return "k" + id;
      }
    }
    throw new AssertionError("a change of an unknown key");
  }

  private RowChange change(String key, RowExistenceExpectation expected) {
    ColumnValue value = ColumnValue.fromLong(random.nextInt(100));
    return switch (random.nextInt(4)) {
      case 0 -> new RowDeleteChange(key(key), expected);
      case 1 -> new RowUpdateChange(key(key), List.of(new ColumnUpdate.Put("c", value)), expected);
      default -> new RowPutChange(key(key), List.of(new Column("c", value)), expected);
    };
  }

  private List<RowChange> changes() {
    List<RowChange> changes = new ArrayList<>();
    for (int row = random.nextInt(3); row >= 0; row--) {
      changes.add(change("k" + random.nextInt(KEYS), EXPECTATIONS.get(random.nextInt(3))));
    }
    return changes;
  }

  /** Posts a write of a session, or of {@link #NOBODY}. */
  private Outcomes post(List<RowChange> changes, long session) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    if (session != NOBODY) {
      builder.bind(new SessionProof(session, Bytes.copyOf(new byte[SessionProof.SECRET_BYTES])));
    }
    changes.forEach(change -> assertThat(builder.add(change)).isTrue());
    byte[] array = builder.build(1 + random.nextInt(PARTITIONS));
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    Optional<PendingWrite.Binding> binding =
        session == NOBODY
            ? Optional.empty()
            : Optional.of(new PendingWrite.Binding(session, false));
    Outcomes outcome = new Outcomes();
    shard
        .now()
        .write(
            new PendingWrite(
                batch,
                new PendingWrite.Judging(
                    ConditionPlace.ofRows(TestRows.SCHEMA), true, ColumnSizes.of(batch), binding),
                Optional.empty(),
                true,
                outcome));
    return outcome;
  }

  private long anySession() {
    if (alive.isEmpty() || random.nextInt(4) == 0) {
      alive.add(++lastSession);
      return lastSession;
    }
    List<Long> all = alive.stream().sorted().toList();
    return all.get(random.nextInt(all.size()));
  }

  private void end() {
    List<Long> all = alive.stream().sorted().toList();
    if (!all.isEmpty()) {
      alive.remove(all.get(random.nextInt(all.size())));
    }
  }

  /** Writes, ends of sessions and sweeps together, with any of them in one group. */
  private void together() throws IOException {
    for (int i = 0; i < 8; i++) {
      switch (random.nextInt(5)) {
        case 0 -> end();
        case 1 -> sweep.tick();
        case 2 -> post(changes(), anySession());
        default -> post(changes(), NOBODY);
      }
      for (int steps = random.nextInt(3); steps > 0; steps--) {
        step();
      }
    }
    drain();
  }

  /** A write that is judged in slices, while its session, or that of its rows, ends. */
  private void longWrite() throws IOException {
    List<RowChange> changes = new ArrayList<>();
    for (int row = 0; row < 300; row++) {
      changes.add(
          new RowUpdateChange(
              key("k" + row),
              List.of(new ColumnUpdate.Put("c", ColumnValue.fromLong(row))),
              row < KEYS ? RowExistenceExpectation.EXPECT_EXIST : RowExistenceExpectation.IGNORE));
    }
    post(changes, random.nextBoolean() ? anySession() : NOBODY);
    for (int steps = random.nextInt(6); steps > 0; steps--) {
      step();
      if (random.nextInt(3) == 0) {
        end();
        sweep.tick();
      }
    }
    drain();
  }

  /** A bound write to a shard that knows better: alone, so that its refusal is certain. */
  private void late() throws Exception {
    long session = anySession();
    alive.remove(session);
    TreeMap<String, Long> before = new TreeMap<>(rows);
    Outcomes outcome = post(List.of(change("k1", RowExistenceExpectation.IGNORE)), session);
    drain();
    assertThat(outcome.refusal()).isEqualTo(ErrorCode.SESSION_ENDED);
    assertThat(rows).isEqualTo(before);
  }

  private void settle() throws IOException {
    sweep.tick();
    drain();
    assertThat(rows.values().stream().filter(owner -> owner != NOBODY))
        .as("rows of sessions that have ended are gone")
        .allMatch(alive::contains);
    requireKnown();
  }

  /** The shard knows each bound row, and no others. */
  private void requireKnown() {
    for (long session = 1; session <= lastSession; session++) {
      long id = session;
      long owned = rows.values().stream().filter(owner -> owner == id).count();
      assertThat(shard.now().bound().left(id)).as("rows of session %d", id).isEqualTo((int) owned);
    }
  }

  /** Readers find exactly the rows of the model. */
  private void requireReads() throws IOException {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      int of = partition;
      shard.now().execute(of, () -> {});
      drain();
      for (int id = 0; id < KEYS; id++) {
        assertThat(shard.now().table().get(of, keyBytes("k" + id)).isPresent())
            .as("a read of k%d", id)
            .isEqualTo(rows.containsKey(of + "/k" + id));
      }
    }
  }

  private void crash() throws IOException {
    shard.crash();
    sweep = new SessionSweep(0, shard.now());
    drain();
    requireKnown();
  }

  static LongStream seeds() {
    return LongStream.range(0, 24);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_row_goes_once_with_the_session_that_wrote_it_last(long seed) throws Exception {
    random = new SplittableRandom(seed);
    kind = TestShard.LogKind.of(seed);
    TestShard.World world =
        new TestShard.World(
            CONFIG,
            partition -> Optional.empty(),
            session -> Optional.of("").filter(any -> alive.contains(session)),
            new Counting(),
            new TestTime());
    shard = TestShard.open(kind, directory, random, world);
    sweep = new SessionSweep(0, shard.now());
    for (int i = 0; i < 100; i++) {
      switch (random.nextInt(12)) {
        case 0 -> end();
        case 1 -> crash();
        case 2 -> settle();
        case 3 -> longWrite();
        case 4 -> late();
        case 5 -> requireReads();
        case 6, 7 -> {
          Outcomes outcome = post(changes(), random.nextBoolean() ? anySession() : NOBODY);
          drain();
          WriteResult result = outcome.result();
          assertThat(result.rejections().size() + result.appliedRows()).isPositive();
          requireKnown();
        }
        default -> together();
      }
    }
    alive.clear();
    for (int ticks = 0; ticks < 10; ticks++) {
      settle();
    }
    requireReads();
    assertThat(unboundMeter).as("each DELETE is counted").isEqualTo(unboundInLog);
    assertThat(unboundInLog).isPositive();
    crash();
    assertThat(shard.now().bound().hasEnded())
        .as("no row is left of a session that ended")
        .isFalse();
    shard.close();
  }
}
