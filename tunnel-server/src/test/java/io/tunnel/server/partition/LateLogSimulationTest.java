package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.key;
import static io.tunnel.server.TestRows.keyBytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.core.WriterCore.Numbered;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
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
  private static final int WRITERS = 5;
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

  private JudgedRows truth;

  /** What was found while the shard told somebody something. */
  private final List<AssertionError> failures = new ArrayList<>();

  private int repeatedUnderWay;

  /** A writer of one partition, that repeats a batch until the batch is answered. */
  private final class Program {
    private final int partition;
    private final Optional<Bytes> id;
    private long number;
    private long applied;
    private Optional<JudgedRows.Batch> batch = Optional.empty();
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
        batch = Optional.of(truth.anyBatch(partition));
        post();
      } else if (batch.isPresent() && id.isPresent() && random.nextInt(3) == 0) {
        repeatedUnderWay += outstanding;
        post();
      }
    }

    private void post() {
      outstanding++;
      shard.write(
          batch
              .orElseThrow()
              .write(
                  id.map(writer -> new Numbered(writer, number, applied)),
                  random.nextBoolean(),
                  new Answer(this, batch.get(), number)));
    }

    private void answered(JudgedRows.Batch of, long ofNumber, WriteResult result) {
      outstanding--;
      truth.require(of, result);
      if (ofNumber != number) {
        return;
      }
      answer.ifPresent(first -> assertThat(result).as("the first answer").isEqualTo(first));
      answer = Optional.of(result);
      applied = result.appliedRows() > 0 ? number : applied;
      batch = Optional.empty();
    }

    private void refused(JudgedRows.Batch of, RefusedException reason) {
      outstanding--;
      if (dropped.contains(partition) && reason.code() != ErrorCode.NOT_LEADER) {
        assertThat(reason.code()).isIn(ErrorCode.TABLE_NOT_FOUND, ErrorCode.WRITER_ENDED);
        batch = Optional.empty();
        return;
      }
      assertThat(reason.code()).isEqualTo(ErrorCode.NOT_LEADER);
      if (id.isEmpty()) {
        truth.neverCounts(of);
        batch = Optional.empty();
      } else if (batch.isPresent()) {
        post();
      }
    }
  }

  private final class Answer implements PendingWrite.Outcome {
    private final Program program;
    private final JudgedRows.Batch batch;
    private final long number;
    private boolean isTold;

    Answer(Program program, JudgedRows.Batch batch, long number) {
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

  /** Takes in what the log has got. */
  private void learn() {
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      long known = truth.learned(partition);
      if (shard.log().committed(partition) == known) {
        continue;
      }
      try {
        TestLogs.batches(shard.log(), partition, known + 1).forEach(truth::learn);
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** A delete, whose row has no value: nobody repeats it. */
  private void delete() {
    int partition = 1 + random.nextInt(PARTITIONS);
    ChangeBatch batch =
        TestRows.batch(partition, new RowDeleteChange(key("k" + random.nextInt(JudgedRows.KEYS))));
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
          for (int id = 0; id < JudgedRows.KEYS; id++) {
            long value = gone.contains(partition) ? 0 : truth.now(partition, "k" + id);
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
        new StoredRows(table, refold.seen(), partition -> !dropped.contains(partition));
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
    truth = new JudgedRows(random);
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
    assertThat(truth.rejected()).as("rows that were rejected").isPositive();
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
