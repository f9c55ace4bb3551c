package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A shard over a {@link LateShardLog}: real log and table, on the test's thread, beside a model
 * that reads the log. Each row that is in the log was judged against exactly the rows before it;
 * each write is answered once, by what the log has; a batch that comes again while its first
 * attempt is under way is applied once.
 */
final class LateLogSimulationTest {

  private static final int PARTITIONS = 3;
  private static final int KEYS = 4;
  private static final int WRITERS = 5;
  private static final List<RowExistenceExpectation> EXPECTATIONS =
      List.of(RowExistenceExpectation.values());
  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;
  private SplittableRandom random;
  private LateShardLog log;
  private Shard shard;
  private final Set<Integer> dropped = new HashSet<>();

  /** The dropped partitions whose rows are gone. */
  private final Set<Integer> gone = new HashSet<>();

  private final List<Program> programs = new ArrayList<>();

  /** By partition, key and position, the rows as the log leaves them; the value of a row, or 0. */
  private final Map<String, NavigableMap<Long, Long>> rows = new HashMap<>();

  private final Map<Integer, Long> learned = new HashMap<>();

  /** By the value of a row, its position; each value is sent in one batch only. */
  private final Map<Long, Long> positions = new HashMap<>();

  /** What was found while the shard told somebody something. */
  private final List<AssertionError> failures = new ArrayList<>();

  private long values;
  private int repeatedUnderWay;
  private int rejected;

  /** A batch: rows with values that no other batch has. */
  private record Batch(int partition, List<RowChange> changes, List<Long> ids, long postedAt) {}

  /** A writer of one partition, that repeats a batch until the batch is answered. */
  private final class Program {
    private final int partition;
    private final Optional<Bytes> id;
    private long number;
    private long applied;
    private Optional<Batch> batch = Optional.empty();
    private Optional<WriteResult> answer = Optional.empty();
    private int outstanding;

    Program(int partition, Optional<Bytes> id) {
      this.partition = partition;
      this.id = id;
    }

    void goOn() {
      if (batch.isEmpty() && outstanding == 0) {
        number++;
        answer = Optional.empty();
        batch = Optional.of(anyBatch(partition));
        post();
      } else if (batch.isPresent() && id.isPresent() && random.nextInt(3) == 0) {
        repeatedUnderWay += outstanding;
        post();
      }
    }

    private void post() {
      outstanding++;
      ChangeBatch sent = TestRows.batch(partition, batch.orElseThrow().changes());
      boolean isConditional =
          batch.get().changes().stream()
              .anyMatch(row -> row.condition() != RowExistenceExpectation.IGNORE);
      shard.write(
          new PendingWrite(
              sent,
              new PendingWrite.Judging(
                  ConditionPlace.ofRows(TestRows.SCHEMA), isConditional, ColumnSizes.of(sent)),
              id.map(writer -> new Numbered(writer, number, applied)),
              random.nextBoolean(),
              new Answer(this, batch.get(), number)));
    }

    private void answered(Batch of, long ofNumber, WriteResult result) {
      outstanding--;
      require(of, result);
      if (ofNumber != number) {
        return;
      }
      answer.ifPresent(first -> assertThat(result).as("the first answer").isEqualTo(first));
      answer = Optional.of(result);
      applied = result.appliedRows() > 0 ? number : applied;
      batch = Optional.empty();
    }

    private void refused(Batch of, RefusedException reason) {
      outstanding--;
      if (dropped.contains(partition) && reason.code() != ErrorCode.NOT_LEADER) {
        assertThat(reason.code()).isIn(ErrorCode.TABLE_NOT_FOUND, ErrorCode.WRITER_ENDED);
        batch = Optional.empty();
        return;
      }
      assertThat(reason.code()).isEqualTo(ErrorCode.NOT_LEADER);
      if (id.isEmpty()) {
        assertThat(positions.keySet()).as("of a lost write").doesNotContainAnyElementsOf(of.ids());
        batch = Optional.empty();
      } else if (batch.isPresent()) {
        post();
      }
    }
  }

  private final class Answer implements PendingWrite.Outcome {
    private final Program program;
    private final Batch batch;
    private final long number;
    private boolean isTold;

    Answer(Program program, Batch batch, long number) {
      this.program = program;
      this.batch = batch;
      this.number = number;
    }

    private void tell(Runnable told) {
      try {
        assertThat(isTold).as("told once").isFalse();
        isTold = true;
        learn();
        told.run();
      } catch (AssertionError | RuntimeException e) {
        // The shard would take the error for one of its own.
        failures.add(new AssertionError(e));
      }
    }

    @Override
    public void written(WriteResult result) {
      tell(() -> program.answered(batch, number, result));
    }

    @Override
    public void refused(RefusedException reason) {
      tell(() -> program.refused(batch, reason));
    }
  }

  /** The log has the applied rows where the answer says, and no other row of the batch. */
  private void require(Batch batch, WriteResult result) {
    Set<Integer> not =
        result.rejections().stream().map(Rejection::rowIndex).collect(Collectors.toSet());
    long position = result.firstPosition();
    for (int row = 0; row < batch.ids().size(); row++) {
      long value = batch.ids().get(row);
      if (not.contains(row)) {
        assertThat(positions).as("a rejected row").doesNotContainKey(value);
        requireRejectedRightly(batch, row);
        rejected++;
      } else {
        assertThat(positions).as("row %s of %s", row, batch).containsEntry(value, position++);
      }
    }
  }

  /** The condition did not hold at some moment since the batch was posted. */
  private void requireRejectedRightly(Batch batch, int row) {
    RowChange change = batch.changes().get(row);
    NavigableMap<Long, Long> states = states(batch.partition(), nameOf(change));
    List<Long> seen = new ArrayList<>(states.tailMap(batch.postedAt(), false).values());
    seen.add(states.floorEntry(batch.postedAt()).getValue());
    boolean expectsRow = change.condition() == RowExistenceExpectation.EXPECT_EXIST;
    // The rows of the batch before this one may have made or removed the row.
    boolean isTouched =
        batch.changes().subList(0, row).stream()
            .anyMatch(other -> nameOf(other).equals(nameOf(change)));
    assertThat(isTouched || seen.stream().anyMatch(value -> (value == 0) == expectsRow))
        .as("%s is rejected, and held since %d: %s", change, batch.postedAt(), states)
        .isTrue();
  }

  private static String nameOf(RowChange change) {
    return change.primaryKey().getPrimaryKeyColumn("k").getValue().asString();
  }

  private NavigableMap<Long, Long> states(int partition, String name) {
    return rows.computeIfAbsent(partition + "/" + name, any -> new TreeMap<>(Map.of(0L, 0L)));
  }

  /** Takes in what the log has got. */
  private void learn() {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      long known = learned.getOrDefault(partition, 0L);
      if (shard.log().committed(partition) == known) {
        continue;
      }
      try {
        for (ChangeBatch batch : TestLogs.batches(shard.log(), partition, known + 1)) {
          for (RowCursor row = batch.rows(); row.next(); ) {
            learn(row, batch.basePosition() + row.index());
          }
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private void learn(RowCursor row, long position) {
    int partition = row.batch().partition();
    if (position <= learned.getOrDefault(partition, 0L)) {
      return;
    }
    learned.put(partition, position);
    var column = row.columns();
    boolean isRow = column.next();
    String name = nameOf(row);
    NavigableMap<Long, Long> states = states(partition, name);
    boolean wasThere = states.lastEntry().getValue() != 0;
    if (row.condition() != RowExistenceExpectation.IGNORE) {
      assertThat(wasThere)
          .as("%s of %s at %d", row.condition(), name, position)
          .isEqualTo(row.condition() == RowExistenceExpectation.EXPECT_EXIST);
    }
    if (isRow) {
      long value = column.value().asLong();
      assertThat(positions.put(value, position)).as("value %d is logged once", value).isNull();
      states.put(position, value);
    } else {
      states.put(position, 0L);
    }
  }

  private static String nameOf(RowCursor row) {
    Bytes encoded = Bytes.copyOf(row.batch().array(), row.keyOffset(), row.keyBytes());
    for (int id = 0; id < KEYS; id++) {
      if (keyBytes("k" + id).equals(encoded)) {
        return "k" + id;
      }
    }
    throw new AssertionError("a change of an unknown key");
  }

  private Batch anyBatch(int partition) {
    boolean mayBeConditional = random.nextInt(3) == 0;
    List<RowChange> changes = new ArrayList<>();
    List<Long> ids = new ArrayList<>();
    for (int row = random.nextInt(3); row >= 0; row--) {
      RowExistenceExpectation expected =
          mayBeConditional ? EXPECTATIONS.get(random.nextInt(3)) : RowExistenceExpectation.IGNORE;
      String name = "k" + random.nextInt(KEYS);
      ids.add(++values);
      changes.add(
          new RowPutChange(
              key(name), List.of(new Column("v", ColumnValue.fromLong(values))), expected));
    }
    return new Batch(partition, changes, ids, learned.getOrDefault(partition, 0L));
  }

  /** A delete, whose row has no value: nobody repeats it. */
  private void delete() {
    int partition = 1 + random.nextInt(PARTITIONS);
    ChangeBatch batch =
        TestRows.batch(partition, new RowDeleteChange(key("k" + random.nextInt(KEYS))));
    shard.write(
        new PendingWrite(
            batch,
            false,
            ColumnSizes.of(batch),
            false,
            new PendingWrite.Outcome() {
              @Override
              public void written(WriteResult result) {}

              @Override
              public void refused(RefusedException reason) {}
            }));
  }

  /** A read finds all that the log has of the partition. */
  private void read() {
    int partition = 1 + random.nextInt(PARTITIONS);
    shard.execute(
        partition,
        () -> {
          learn();
          if (dropped.contains(partition) && !gone.contains(partition)) {
            // Nobody may read the partition any more, and its rows are about to go.
            return;
          }
          for (int id = 0; id < KEYS; id++) {
            long value =
                gone.contains(partition) ? 0 : states(partition, "k" + id).lastEntry().getValue();
            assertThat(
                    shard
                        .table()
                        .get(partition, keyBytes("k" + id))
                        .map(columns -> columns.get(0).getValue().asLong())
                        .orElse(0L))
                .as("k%d of partition %d", id, partition)
                .isEqualTo(value);
          }
          reads++;
        });
  }

  private int reads;

  private void drop(int partition) {
    dropped.add(partition);
    shard.execute(
        partition,
        () -> {
          try {
            shard.dropPartition(partition);
            gone.add(partition);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
  }

  private void open() throws IOException {
    LocalLog own = TestLogs.open(new CrashDisk(), 0);
    TableStore table = TableStore.open(directory.resolve("rows"), TABLE, own::sync);
    Refold refold = new Refold(table, partition -> true, partition -> Optional.empty());
    StoredRows stored =
        new StoredRows(
            table, refold.bounds(), refold.writers(), partition -> !dropped.contains(partition));
    log = new LateShardLog(own, random, random.nextInt(3) == 0 ? 10 : 0);
    shard = new Shard(0, CONFIG, log, stored, new NoMeter(), new TestClock());
    for (int writer = 0; writer < WRITERS; writer++) {
      for (int partition = 1; partition <= PARTITIONS; partition++) {
        Bytes id =
            Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(writer).array());
        programs.add(new Program(partition, writer < 3 ? Optional.of(id) : Optional.empty()));
      }
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, 40);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void writes_are_judged_by_the_rows_before_them_and_answered_by_the_log(long seed)
      throws Exception {
    random = new SplittableRandom(seed);
    open();
    for (int i = 0; i < 600; i++) {
      switch (random.nextInt(12)) {
        case 0 -> read();
        case 1 -> delete();
        case 2, 3, 4 -> log.settleSome();
        case 5, 6 -> shard.step();
        default -> programs.get(random.nextInt(programs.size())).goOn();
      }
      if (i == 500) {
        drop(PARTITIONS);
      }
      if (!failures.isEmpty()) {
        throw failures.get(0);
      }
    }
    boolean[] isDrained = {false};
    shard.execute(Set.of(), () -> isDrained[0] = true);
    for (int idle = 0; idle < 3; ) {
      boolean did = shard.step();
      did |= log.settleSome();
      idle = did ? 0 : idle + 1;
    }
    assertThat(isDrained[0]).isTrue();
    assertThat(failures).isEmpty();
    assertThat(programs).as("all are answered").allMatch(one -> one.outstanding == 0);
    assertThat(log.mostUnderWay()).as("groups under way in a lane").isGreaterThan(1);
    assertThat(repeatedUnderWay).as("batches that came again under way").isPositive();
    assertThat(rejected).as("rows that were rejected").isPositive();
    for (int i = 0; i < 2 * PARTITIONS; i++) {
      read();
    }
    int before = reads;
    while (shard.step()) {
      // Until nothing waits.
    }
    assertThat(reads).isEqualTo(before + 2 * PARTITIONS);
    shard.close();
  }
}
