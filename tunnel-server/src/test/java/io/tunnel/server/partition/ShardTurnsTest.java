package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ChangeKind;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowPutChange;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.TestLogs;
import io.tunnel.wire.WriteResult;
import io.tunnel.wire.WriteResult.Rejection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Long writes that must be judged, and tasks of other partitions meanwhile. The test is the thread.
 */
final class ShardTurnsTest {

  private static final List<RowExistenceExpectation> CONDITIONS =
      List.of(RowExistenceExpectation.values());

  private static final ShardConfig CONFIG = new ShardConfig(8 << 20, 1 << 20, 8 << 20);
  private static final int PARTITIONS = 3;
  private static final int LONG_ROWS = 3 * WriteTurns.AT_ONCE_ROWS_MAX;

  private final CrashDisk disk = new CrashDisk();
  private final HeldRows rows = new HeldRows();

  /** What was told, in order: the numbers of writes, and what actions say. */
  private final List<String> told = new ArrayList<>();

  private Shard shard;

  private final class Told implements PendingWrite.Outcome {
    private final String name;
    private WriteResult result;
    private RefusedException refusal;

    Told(String name) {
      this.name = name;
    }

    @Override
    public void written(WriteResult written) {
      assertThat(result).isNull();
      result = written;
      told.add(name);
    }

    @Override
    public void refused(RefusedException reason) {
      assertThat(refusal).isNull();
      refusal = reason;
      told.add(name);
    }
  }

  @BeforeEach
  void open() throws IOException {
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(TestLogs.open(disk, 0)),
            rows,
            new NoMeter(),
            new TestClock());
  }

  private Told write(String name, ChangeBatch batch, boolean isConditional) {
    Told outcome = new Told(name);
    shard.write(new PendingWrite(batch, isConditional, ColumnSizes.of(batch), true, outcome));
    return outcome;
  }

  private void say(int partition, String word) {
    shard.execute(partition, () -> told.add(word));
  }

  private void runAll() {
    for (int steps = 0; !shard.isIdle(); steps++) {
      assertThat(steps).isLessThan(100_000);
      boolean unused = shard.step();
    }
  }

  private static ChangeBatch updates(int partition, int rowCount) {
    List<RowChange> updates = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      updates.add(update("k" + i, RowExistenceExpectation.IGNORE));
    }
    return batch(partition, updates);
  }

  private static RowChange update(String key, RowExistenceExpectation condition) {
    ColumnUpdate update = new ColumnUpdate.Put("c", ColumnValue.fromLong(1));
    return new RowUpdateChange(key(key), List.of(update), condition);
  }

  @Test
  void reads_and_writes_of_others_are_done_while_a_long_write_is_judged() {
    write("long", updates(1, LONG_ROWS), true);
    write("behind", updates(1, 1), true);
    write("other", updates(2, 1), true);
    say(2, "read");
    runAll();
    assertThat(told).containsExactly("other", "read", "long", "behind");
  }

  @Test
  void reads_between_writes_wait_for_the_group_of_both_writes() {
    write("first", updates(1, 1), false);
    say(1, "read");
    say(2, "other read");
    write("second", updates(1, 1), false);
    runAll();
    assertThat(told).containsExactly("first", "second", "read", "other read");
  }

  @Test
  void few_rows_that_take_long_to_judge_hold_up_nobody_for_longer_than_a_slice()
      throws IOException {
    TestClock clock = new TestClock();
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(TestLogs.open(new CrashDisk(), 0)),
            rows,
            new NoMeter(),
            clock);
    AtomicInteger looked = new AtomicInteger();
    rows.whenRead(
        () -> {
          looked.incrementAndGet();
          clock.pass(1);
        });
    List<RowChange> changes = new ArrayList<>();
    for (int i = 0; i < WriteTurns.AT_ONCE_ROWS_MAX; i++) {
      changes.add(update("k" + i % 100, RowExistenceExpectation.EXPECT_NOT_EXIST));
    }
    Told large = write("large", batch(1, changes), true);
    write("large too", batch(3, changes), true);
    write("and this", batch(4, changes), true);
    write("behind", updates(1, 1), true);
    write("other", updates(2, 1), true);
    say(2, "read");
    int most = 0;
    for (int before = 0; !shard.isIdle(); before = looked.get()) {
      boolean unused = shard.step();
      most = Math.max(most, looked.get() - before);
    }
    assertThat(told).containsExactly("other", "read", "large", "behind", "large too", "and this");
    assertThat(large.result.appliedRows()).isEqualTo(100);
    assertThat(large.result.rejections()).hasSize(28);
    assertThat(most).as("rows that are looked at in one step").isLessThan(10);
  }

  private static ChangeBatch puts(int partition, int rowCount) {
    List<RowChange> puts = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      puts.add(new RowPutChange(key("k" + i), List.of()));
    }
    return batch(partition, puts);
  }

  @Test
  void a_read_waits_for_the_fold_of_its_partition_and_for_a_slice_of_others() {
    rows.slice(1);
    write("long", puts(1, LONG_ROWS), false);
    write("other", puts(2, 1), false);
    shard.execute(1, () -> told.add("read 1 of " + rows.keys(1).size()));
    shard.execute(
        2,
        () -> {
          told.add("read 2");
          assertThat(rows.keys(2)).hasSize(1);
          assertThat(rows.keys(1)).hasSizeLessThan(10);
        });
    shard.execute(3, () -> told.add("read 3"));
    runAll();
    assertThat(told).containsExactly("long", "other", "read 2", "read 3", "read 1 of " + LONG_ROWS);
  }

  @Test
  void writes_of_others_are_done_while_the_fold_of_one_is_waited_for_and_its_own_wait_behind() {
    rows.slice(1);
    write("long", puts(1, LONG_ROWS), false);
    assertThat(shard.step()).isTrue();
    say(1, "read");
    Told judged = write("judged", updates(1, 1), true);
    write("behind", puts(1, 1), false);
    write("other", puts(2, 1), false);
    runAll();
    assertThat(told).containsExactly("long", "other", "read", "judged", "behind");
    assertThat(judged.result.rejections()).isEmpty();
  }

  @Test
  void a_write_is_judged_by_the_rows_of_its_partition_whatever_is_not_folded() {
    rows.slice(1);
    write("long", puts(1, LONG_ROWS), false);
    assertThat(shard.step()).isTrue();
    RowChange late = update("k" + (LONG_ROWS - 1), RowExistenceExpectation.EXPECT_EXIST);
    Told mine = write("mine", batch(1, late), true);
    Told other = write("other", batch(2, late), true);
    runAll();
    assertThat(told).containsExactly("long", "other", "mine");
    assertThat(mine.result.rejections()).isEmpty();
    assertThat(other.result.rejections()).hasSize(1);
  }

  @Test
  void reads_go_on_while_so_much_is_not_folded_that_writes_wait() throws IOException {
    ShardConfig small = new ShardConfig(4_096, 4_096, 8 << 20, 0);
    shard =
        new Shard(
            0,
            small,
            new LocalShardLog(TestLogs.open(new CrashDisk(), 0)),
            rows,
            new NoMeter(),
            new TestClock());
    rows.slice(1);
    for (int i = 0; i < 40; i++) {
      write("w" + i, puts(1, LONG_ROWS), false);
    }
    say(2, "read");
    runAll();
    assertThat(told).hasSize(41).doesNotHaveDuplicates();
    assertThat(told.indexOf("read")).isLessThan(30);
  }

  @Test
  void a_fold_that_fails_refuses_writes_that_wait_for_it_and_ends_the_wait_of_reads() {
    rows.slice(1);
    write("long", puts(1, LONG_ROWS), false);
    assertThat(shard.step()).isTrue();
    say(1, "read");
    Told behind = write("behind", puts(1, 1), false);
    for (int steps = 0; steps < 3; steps++) {
      assertThat(shard.step()).isTrue();
    }
    rows.refuse(new IOException("injected"));
    runAll();
    assertThat(told).containsExactlyInAnyOrder("long", "read", "behind");
    assertThat(behind.refusal.code()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(shard.hasFailed()).isTrue();
  }

  @Test
  void a_drain_waits_for_writes_that_are_judged_in_slices() throws InterruptedException {
    write("long", updates(1, LONG_ROWS), true);
    write("behind", updates(1, 1), true);
    Thread drain =
        new Thread(
            () -> {
              shard.drain();
              told.add("drained");
            });
    drain.start();
    ShardWaits.until(() -> drain.getState() == Thread.State.WAITING);
    runAll();
    drain.join();
    assertThat(told).containsExactly("long", "behind", "drained");
  }

  @Test
  void a_table_that_is_dropped_meanwhile_refuses_the_write() {
    Told outcome = write("long", updates(1, LONG_ROWS), true);
    shard.execute(1, () -> rows.dropPartition(1));
    runAll();
    assertThat(outcome.refusal.code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(shard.log().committed(1)).isZero();
  }

  @Test
  void a_disk_that_fails_refuses_what_is_judged_and_what_waits_for_that() {
    Told slow = write("long", updates(1, LONG_ROWS), true);
    Told behind = write("behind", updates(1, 1), true);
    Told other = write("other", updates(2, 1), true);
    disk.failAfter(CrashDisk.Operation.WRITE, 0);
    runAll();
    for (Told outcome : List.of(slow, behind, other)) {
      assertThat(outcome.refusal.code()).isEqualTo(ErrorCode.STORAGE_FAILED);
    }
    assertThat(shard.queuedBytes()).isZero();
  }

  static LongStream seeds() {
    return LongStream.range(0, 150);
  }

  /** One partition after the other, each write is judged as if it were alone. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void order_and_conditions_of_each_partition_are_as_if_nothing_were_judged_in_slices(long seed) {
    Random random = new Random(seed);
    rows.slice(1 + random.nextInt(LONG_ROWS));
    List<ChangeBatch> batches = new ArrayList<>();
    List<Told> outcomes = new ArrayList<>();
    List<Boolean> reads = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      boolean isConditional = random.nextInt(3) > 0;
      batches.add(batch(1 + random.nextInt(PARTITIONS), changes(random, isConditional)));
      outcomes.add(write(Integer.toString(i), batches.get(i), isConditional));
      int read = 1 + random.nextInt(PARTITIONS);
      shard.execute(
          read,
          () -> {
            Map<Integer, Set<Bytes>> acknowledged = new HashMap<>();
            for (int write = 0; write < batches.size(); write++) {
              if (batches.get(write).partition() == read && outcomes.get(write).result != null) {
                WriteResult unused = apply(batches.get(write), acknowledged, new HashMap<>());
              }
            }
            reads.add(rows.keys(read).equals(acknowledged.getOrDefault(read, Set.of())));
          });
      for (int steps = random.nextInt(4); steps > 0; steps--) {
        boolean unused = shard.step();
      }
    }
    runAll();
    Map<Integer, Set<Bytes>> model = new HashMap<>();
    Map<Integer, Long> positions = new HashMap<>();
    for (int i = 0; i < batches.size(); i++) {
      WriteResult expected = apply(batches.get(i), model, positions);
      assertThat(outcomes.get(i).result).as("write %d", i).isEqualTo(expected);
    }
    model.forEach((partition, keys) -> assertThat(rows.keys(partition)).isEqualTo(keys));
    assertThat(reads).hasSize(40).containsOnly(true);
    assertThat(shard.queuedBytes()).isZero();
  }

  private static WriteResult apply(
      ChangeBatch batch, Map<Integer, Set<Bytes>> model, Map<Integer, Long> positions) {
    Set<Bytes> keys = model.computeIfAbsent(batch.partition(), id -> new HashSet<>());
    List<Rejection> rejections = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      Bytes key = Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes());
      boolean holds =
          switch (row.condition()) {
            case IGNORE -> true;
            case EXPECT_EXIST -> keys.contains(key);
            case EXPECT_NOT_EXIST -> !keys.contains(key);
          };
      if (!holds) {
        rejections.add(new Rejection(row.index(), ErrorCode.CONDITION_FAILED));
      } else {
        boolean unused = row.kind() == ChangeKind.DELETE ? keys.remove(key) : keys.add(key);
      }
    }
    int applied = batch.rowCount() - rejections.size();
    long first = positions.getOrDefault(batch.partition(), 0L) + 1;
    positions.merge(batch.partition(), (long) applied, Long::sum);
    return new WriteResult(applied == 0 ? 0 : first, applied, rejections);
  }

  private static List<RowChange> changes(Random random, boolean isConditional) {
    List<RowChange> changes = new ArrayList<>();
    int rowCount = random.nextInt(5) == 0 ? random.nextInt(LONG_ROWS) : random.nextInt(4);
    for (int i = 0; i <= rowCount; i++) {
      String key = "k" + random.nextInt(LONG_ROWS / 8);
      RowExistenceExpectation condition =
          isConditional
              ? CONDITIONS.get(random.nextInt(CONDITIONS.size()))
              : RowExistenceExpectation.IGNORE;
      changes.add(
          switch (random.nextInt(isConditional ? 3 : 2)) {
            case 0 -> new RowPutChange(key(key), List.of(), condition);
            case 1 -> new RowDeleteChange(key(key), condition);
            default -> update(key, condition);
          });
    }
    return changes;
  }
}
