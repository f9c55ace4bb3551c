package io.tunnel.server.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.Attributes;
import io.tunnel.codec.AutoNumbers;
import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.BatchValidator;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnCursor;
import io.tunnel.codec.KeyCodec;
import io.tunnel.codec.RowCursor;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.PrimaryKeySchema;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.PrimaryKeyType;
import io.tunnel.model.value.PrimaryKeyValue;
import io.tunnel.server.log.TestLogs;
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
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A shard that numbers keys: real log and table, on the test's thread and clock. What must hold is
 * said in ADR 35: in the order of the log each number that the server chose is above all before it,
 * over restarts with and without the table; an acknowledged number is that of the row; and a
 * repeated batch is answered with its first numbers.
 */
final class AutoKeySimulationTest {

  private static final int PARTITION = 1;
  private static final List<PrimaryKeySchema> KEY =
      List.of(new PrimaryKeySchema("shop", PrimaryKeyType.STRING), PrimaryKeySchema.auto("n"));
  private static final Bytes WRITER =
      Bytes.copyOf(ByteBuffer.allocate(24).putLong(1).putLong(0).putLong(7).array());
  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);

  @TempDir private Path directory;
  private TestShard shard;
  private TestShard.LogKind kind;
  private SplittableRandom random;

  /** What the log leaves: the value of each row. */
  private final Map<Bytes, Long> rows = new TreeMap<>();

  /** The largest number of the column in the log so far. */
  private long largest;

  private long learned;

  /** By its value, each change that was sent; values are given once. */
  private final Map<Long, RowChange> sent = new HashMap<>();

  /** By its value, the number of each logged row that asked for one. */
  private final Map<Long, Long> numberByValue = new HashMap<>();

  private long values;

  /** The last numbered batch, and its answer; null where a repetition is not recognised. */
  private List<RowChange> lastBatch = List.of();

  private boolean isLastAtomic;
  private WriteResult lastResult;
  private long lastNumber;
  private long lastApplied;

  private long nanos;

  private final Shard.Clock clock =
      new Shard.Clock() {
        @Override
        public long epochMicros() {
          return 1_000_000_000_000L + nanos / 1_000;
        }

        @Override
        public long nanos() {
          nanos += 50_000;
          return nanos;
        }
      };

  private void drain() throws IOException {
    while (shard.step()) {
      learn();
    }
    learn();
  }

  private void learn() throws IOException {
    if (shard.now().log().committed(PARTITION) == learned) {
      return;
    }
    for (ChangeBatch batch : TestLogs.batches(shard.now().log(), PARTITION, learned + 1)) {
      for (RowCursor row = batch.rows(); row.next(); ) {
        long position = batch.basePosition() + row.index();
        if (position > learned) {
          learned = position;
          learn(row);
        }
      }
    }
  }

  private void learn(RowCursor row) {
    byte[] array = row.batch().array();
    PrimaryKey key = KeyCodec.decode(array, row.keyOffset(), row.keyBytes(), KEY);
    Bytes encoded = Bytes.copyOf(array, row.keyOffset(), row.keyBytes());
    long number = key.getPrimaryKeyColumn("n").getValue().asLong();
    assertThat(row.isAuto()).as("a log has keys with their numbers").isFalse();
    if (row.kind() == ChangeKind.DELETE) {
      rows.remove(encoded);
    } else {
      ColumnCursor column = row.columns();
      assertThat(column.next()).isTrue();
      long value = column.value().asLong();
      RowChange change = sent.get(value);
      if (change.primaryKey().isToBeNumbered()) {
        assertThat(number).as("the number of row %s in the log", key).isGreaterThan(largest);
        assertThat(numberByValue.put(value, number)).as("row %s is logged once", key).isNull();
      } else if (change.condition() != RowExistenceExpectation.IGNORE) {
        assertThat(rows.containsKey(encoded))
            .as("%s of row %s, which is applied", change.condition(), key)
            .isEqualTo(change.condition() == RowExistenceExpectation.EXPECT_EXIST);
      }
      rows.put(encoded, value);
    }
    largest = Math.max(largest, number);
  }

  private RowChange change(boolean mayBeConditional) {
    values++;
    int dice = random.nextInt(10);
    PrimaryKeyValue n =
        dice < 5
            ? PrimaryKeyValue.auto()
            // Numbers that are there, and those that the server is about to give.
            : PrimaryKeyValue.fromLong(Math.max(0, largest - 6) + random.nextInt(10));
    PrimaryKey key = PrimaryKey.builder().add("shop", "s" + random.nextInt(2)).add("n", n).build();
    RowExistenceExpectation expected =
        mayBeConditional && random.nextInt(3) == 0
            ? random.nextBoolean() && !n.isAuto()
                ? RowExistenceExpectation.EXPECT_EXIST
                : RowExistenceExpectation.EXPECT_NOT_EXIST
            : RowExistenceExpectation.IGNORE;
    ColumnValue value = ColumnValue.fromLong(values);
    RowChange change =
        dice < 7
            ? new RowPutChange(key, List.of(new Column("v", value)), expected)
            : dice == 7
                ? new RowUpdateChange(key, List.of(new ColumnUpdate.Put("v", value)), expected)
                : new RowDeleteChange(key, expected);
    sent.put(values, change);
    return change;
  }

  private List<RowChange> changes(int count, boolean mayBeConditional) {
    List<RowChange> changes = new ArrayList<>();
    for (int row = 0; row < count; row++) {
      changes.add(change(mayBeConditional));
    }
    return changes;
  }

  private Outcomes post(List<RowChange> changes, boolean isAtomic, Optional<Numbered> writer) {
    BatchBuilder builder = new BatchBuilder(KEY, 256);
    builder.setAttributes(isAtomic ? Attributes.atomic(Bytes.EMPTY) : Bytes.EMPTY);
    changes.forEach(change -> assertThat(builder.add(change)).isTrue());
    byte[] array = builder.build(PARTITION);
    ChangeBatch batch = ChangeBatch.parse(array, 0, array.length);
    BatchValidator.Checked checked =
        new BatchValidator(KEY).require(batch, Bytes.EMPTY, Bytes.EMPTY);
    Outcomes outcome = new Outcomes();
    shard
        .now()
        .write(
            new PendingWrite(
                batch,
                new PendingWrite.Judging(
                    ConditionPlace.ofRows(KEY), checked.mustJudge(), checked.columnSizes()),
                writer,
                true,
                outcome));
    return outcome;
  }

  /** Several writes together, some of them long. */
  private void together() throws Exception {
    List<List<RowChange>> batches = new ArrayList<>();
    List<Outcomes> outcomes = new ArrayList<>();
    for (int write = random.nextInt(4); write >= 0; write--) {
      boolean isLong = random.nextInt(12) == 0;
      boolean isAtomic = random.nextInt(4) == 0;
      batches.add(changes(isLong ? 200 : 1 + random.nextInt(5), random.nextBoolean()));
      outcomes.add(post(batches.get(batches.size() - 1), isAtomic, Optional.empty()));
      for (int steps = random.nextInt(3); steps > 0; steps--) {
        var unused = shard.step();
        learn();
      }
    }
    drain();
    for (int write = 0; write < outcomes.size(); write++) {
      require(batches.get(write), outcomes.get(write).result());
    }
  }

  /** Rows that asked have the numbers of the answer; refused rows are not in the log. */
  private void require(List<RowChange> changes, WriteResult result) {
    Set<Integer> rejected = new HashSet<>();
    result.rejections().stream().map(Rejection::rowIndex).forEach(rejected::add);
    long next = result.firstNumber().orElse(-1);
    for (int row = 0; row < changes.size(); row++) {
      RowChange change = changes.get(row);
      if (!change.primaryKey().isToBeNumbered()) {
        continue;
      }
      long value = ((RowPutChange) change).columns().get(0).getValue().asLong();
      if (rejected.contains(row)) {
        assertThat(numberByValue).as("a refused row").doesNotContainKey(value);
      } else {
        assertThat(numberByValue).as("row %s of %s", row, changes).containsEntry(value, next);
      }
      next++;
    }
  }

  private Outcomes postLast() {
    return post(
        lastBatch, isLastAtomic, Optional.of(new Numbered(WRITER, lastNumber, lastApplied)));
  }

  private void numbered() throws Exception {
    lastBatch = changes(1 + random.nextInt(6), true);
    isLastAtomic = random.nextInt(3) == 0;
    lastNumber++;
    Outcomes outcome = postLast();
    drain();
    lastResult = outcome.result();
    require(lastBatch, lastResult);
    lastApplied = lastResult.appliedRows() > 0 ? lastNumber : lastApplied;
  }

  private void repeat() throws Exception {
    long before = learned;
    Outcomes outcome = postLast();
    drain();
    assertThat(outcome.result()).as("the first answer").isEqualTo(lastResult);
    assertThat(learned).isEqualTo(before);
  }

  private void crash() throws IOException {
    if (kind != TestShard.LogKind.SHARED && lastResult != null && lastResult.appliedRows() == 0) {
      // The answer was in memory.
      lastResult = null;
    }
    shard.crash();
    learn();
  }

  private void requireRows() throws IOException {
    shard.now().execute(PARTITION, () -> {});
    drain();
    rows.forEach(
        (key, value) ->
            assertThat(shard.now().table().get(PARTITION, key).orElseThrow())
                .containsExactly(new Column("v", ColumnValue.fromLong(value))));
  }

  static LongStream seeds() {
    return LongStream.range(0, 25);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void numbers_rise_in_the_log_and_are_those_of_the_answers(long seed) throws Exception {
    random = new SplittableRandom(seed);
    kind = TestShard.LogKind.of(seed);
    TestShard.World world =
        new TestShard.World(
            CONFIG,
            partition -> AutoNumbers.of(KEY),
            session -> Optional.empty(),
            new NoMeter(),
            clock);
    shard = TestShard.open(kind, directory, random, world);
    for (int i = 0; i < 120; i++) {
      switch (random.nextInt(8)) {
        case 0 -> crash();
        case 1, 2 -> numbered();
        case 3 -> {
          if (lastResult != null) {
            repeat();
          }
        }
        case 4 -> requireRows();
        default -> together();
      }
    }
    assertThat(numberByValue).hasSizeGreaterThan(100);
    shard.close();
  }
}
