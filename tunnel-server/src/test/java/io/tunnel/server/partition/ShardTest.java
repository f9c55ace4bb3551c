package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static io.tunnel.server.partition.ShardWaits.settle;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.RowCursor;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowExistenceExpectation;
import io.tunnel.model.RowUpdateChange;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnUpdate;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import io.tunnel.wire.WriteResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ShardTest {

  private static final ShardConfig CONFIG = new ShardConfig(64 << 10, 8 << 10, 8 << 20);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);
  private static final int PARTITIONS = 3;

  @TempDir private Path directory;
  private CrashDisk disk = new CrashDisk();
  private IntPredicate live = partition -> true;
  private Shard shard;

  @BeforeEach
  void open() throws IOException {
    LocalLog log = TestLogs.open(disk, 0);
    TableStore table = TableStore.open(directory, TABLE, log::sync);
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(log),
            new StoredRows(table, SeenChanges.of(new RowBounds(Map.of())), live),
            new NoMeter(),
            new TestClock());
  }

  @AfterEach
  void close() throws IOException {
    shard.close();
  }

  private Outcomes write(ChangeBatch batch) {
    return write(batch, false);
  }

  private Outcomes write(ChangeBatch batch, boolean isConditional) {
    Outcomes outcome = new Outcomes();
    shard.write(Outcomes.write(batch, isConditional, outcome));
    return outcome;
  }

  static LongStream seeds() {
    return LongStream.range(0, 12);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_was_acknowledged_survives_a_disk_that_fails_and_a_machine_that_goes_down(long seed)
      throws Exception {
    Random random = new Random(seed);
    CrashDisk.Operation failing =
        random.nextBoolean() ? CrashDisk.Operation.WRITE : CrashDisk.Operation.SYNC;
    disk.failAfter(failing, random.nextInt(12));
    shard.start();
    List<ChangeBatch> batches = new ArrayList<>();
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      batches.add(batch(1 + random.nextInt(PARTITIONS), put("k" + i), put("l" + i)));
      outcomes.add(write(batches.get(i)));
      if (random.nextInt(10) == 0) {
        outcomes.get(i).refusal();
      }
    }
    Map<Integer, List<Bytes>> acknowledged = new HashMap<>();
    for (int i = 0; i < batches.size(); i++) {
      ErrorCode refusal = outcomes.get(i).refusal();
      assertThat(refusal).isIn(null, ErrorCode.STORAGE_FAILED);
      if (refusal == null) {
        ChangeBatch batch = batches.get(i);
        List<Bytes> keys = acknowledged.computeIfAbsent(batch.partition(), id -> new ArrayList<>());
        assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(keys.size() + 1);
        keys.addAll(keys(batch));
      }
    }
    assertThat(shard.hasFailed()).isTrue();
    assertThat(shard.queuedBytes()).isZero();
    assertThatThrownBy(shard::close).isInstanceOf(IOException.class);
    disk = disk.crash(random);
    open();
    for (int partition = 1; partition <= PARTITIONS; partition++) {
      List<Bytes> logged = new ArrayList<>();
      TestLogs.batches(shard.log(), partition).forEach(batch -> logged.addAll(keys(batch)));
      List<Bytes> must = acknowledged.getOrDefault(partition, List.of());
      assertThat(logged).hasSizeGreaterThanOrEqualTo(must.size());
      assertThat(logged.subList(0, must.size())).as("seed %d", seed).isEqualTo(must);
    }
    assertThat(shard.store().foldedOffset()).isLessThanOrEqualTo(shard.log().end());
  }

  private static List<Bytes> keys(ChangeBatch batch) {
    List<Bytes> keys = new ArrayList<>();
    RowCursor row = batch.rows();
    while (row.next()) {
      keys.add(Bytes.copyOf(batch.array(), row.keyOffset(), row.keyBytes()));
    }
    return keys;
  }

  @Test
  void writes_are_busy_exactly_above_the_queues_limit_and_go_on_when_it_is_emptied()
      throws Exception {
    ChangeBatch first = batch(1, put("a", text((1 << 20) - 100)));
    List<Outcomes> outcomes = new ArrayList<>();
    while (shard.queuedBytes() + first.byteCount() <= CONFIG.queueBytesMax()) {
      outcomes.add(write(first));
    }
    int room = (int) (CONFIG.queueBytesMax() - shard.queuedBytes());
    ChangeBatch last = batchOf(room);
    assertThatThrownBy(() -> write(batchOf(room + 1)))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    outcomes.add(write(last));
    assertThat(shard.queuedBytes()).isEqualTo(CONFIG.queueBytesMax());
    assertThatThrownBy(() -> write(batch(1, put("b")))).hasMessageContaining("try again");
    shard.start();
    for (int i = 0; i < outcomes.size(); i++) {
      assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(i + 1);
    }
    assertThat(shard.queuedBytes()).isZero();
    assertThat(write(batch(1, put("b"))).result().appliedRows()).isEqualTo(1);
  }

  private static Column text(int bytes) {
    return new Column("c", ColumnValue.fromString("v".repeat(bytes)));
  }

  private static ChangeBatch batchOf(int bytes) {
    int value = bytes - batch(1, put("a", text(300))).byteCount() + 300;
    ChangeBatch batch = batch(1, put("a", text(value)));
    while (batch.byteCount() > bytes) {
      batch = batch(1, put("a", text(--value)));
    }
    assertThat(batch.byteCount()).isEqualTo(bytes);
    return batch;
  }

  @Test
  void writers_keep_their_order_and_get_the_positions_of_their_own_rows() throws Exception {
    shard.start();
    List<Thread> writers = new ArrayList<>();
    Map<Integer, List<Outcomes>> outcomesByWriter = new HashMap<>();
    for (int id = 0; id < 3; id++) {
      int writer = id;
      List<Outcomes> outcomes = new ArrayList<>();
      outcomesByWriter.put(id, outcomes);
      writers.add(
          new Thread(
              () -> {
                for (int i = 0; i < 400; i++) {
                  outcomes.add(write(batch(1 + i % 2, put(writer + "-" + i), put("x"))));
                }
              }));
    }
    writers.forEach(Thread::start);
    for (Thread writer : writers) {
      writer.join();
    }
    Map<Integer, List<Bytes>> logged = new HashMap<>();
    for (List<Outcomes> outcomes : outcomesByWriter.values()) {
      outcomes.get(outcomes.size() - 1).result();
    }
    for (int partition = 1; partition <= 2; partition++) {
      List<Bytes> keys = new ArrayList<>();
      TestLogs.batches(shard.log(), partition).forEach(batch -> keys.addAll(keys(batch)));
      logged.put(partition, keys);
    }
    for (int writer = 0; writer < 3; writer++) {
      long[] last = new long[3];
      for (int i = 0; i < 400; i++) {
        WriteResult result = outcomesByWriter.get(writer).get(i).result();
        int partition = 1 + i % 2;
        assertThat(result.firstPosition()).isGreaterThan(last[partition]);
        last[partition] = result.firstPosition();
        assertThat(logged.get(partition).get((int) result.firstPosition() - 1))
            .isEqualTo(keyBytes(writer + "-" + i));
      }
    }
  }

  @Test
  void a_barrier_sees_everything_posted_before_it_and_nothing_behind() throws Exception {
    List<Boolean> seen = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      String now = "k" + i;
      String next = "k" + (i + 1);
      write(batch(1, put(now)));
      shard.execute(Set.of(1), () -> seen.add(has(now) && !has(next)));
    }
    CountDownLatch isDone = new CountDownLatch(1);
    shard.execute(
        1,
        () -> {
          throw new IllegalStateException("a task that fails is its own trouble");
        });
    shard.execute(1, isDone::countDown);
    shard.start();
    assertThat(isDone.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(seen).hasSize(50).doesNotContain(false);
  }

  private boolean has(String key) {
    return shard.table().get(1, keyBytes(key)).isPresent();
  }

  @Test
  void a_graceful_close_commits_what_was_queued_and_refuses_what_comes_later() throws Exception {
    List<Outcomes> outcomes = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      outcomes.add(write(batch(1, put("k" + i))));
    }
    shard.start();
    shard.close();
    for (int i = 0; i < 500; i++) {
      assertThat(outcomes.get(i).result().firstPosition()).isEqualTo(i + 1);
    }
    assertThatThrownBy(() -> write(batch(1, put("late")))).hasMessageContaining("stopping");
    open();
    assertThat(shard.log().committed(1)).isEqualTo(500);
    assertThat(shard.store().foldedOffset()).isEqualTo(shard.log().end());
  }

  @Test
  void a_row_that_updates_would_make_too_large_is_rejected_and_the_shard_goes_on()
      throws Exception {
    shard.start();
    assertThat(write(update("k", 0, 1_000), true).result().appliedRows()).isEqualTo(1);
    WriteResult second = write(update("k", 1_000, 2_000), true).result();
    assertThat(second.rejections())
        .containsExactly(new WriteResult.Rejection(0, ErrorCode.ROW_TOO_LARGE));
    assertThat(write(update("k", 500, 1_024), true).result().appliedRows()).isEqualTo(1);
    assertThat(shard.hasFailed()).isFalse();
    shard.close();
    open();
    assertThat(shard.table().get(1, keyBytes("k")).orElseThrow()).hasSize(1_024);
  }

  private static ChangeBatch update(String key, int from, int to) {
    Stream<ColumnUpdate> updates =
        IntStream.range(from, to)
            .mapToObj(i -> new ColumnUpdate.Put("c" + i, ColumnValue.fromLong(i)));
    return batch(1, new RowUpdateChange(TestRows.key(key), updates.toList()));
  }

  @Test
  void a_table_that_cannot_be_read_fails_its_writes_and_not_their_thread() throws Exception {
    openDamaged();
    Outcomes judged = write(updates(RowExistenceExpectation.EXPECT_EXIST), true);
    assertThat(judged.refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    requireFailed();
    assertThat(shard.log().committed(1)).isEqualTo(300);
  }

  @Test
  void
      updates_that_are_judged_without_a_look_at_their_rows_are_written_also_when_the_table_cannot_be_read()
          throws Exception {
    openDamaged();
    Outcomes written = write(updates(RowExistenceExpectation.IGNORE), true);
    assertThat(written.result().rejections()).isEmpty();
    requireFailed();
    assertThat(shard.log().committed(1)).isEqualTo(600);
  }

  private void openDamaged() throws Exception {
    shard.start();
    write(batch(1, damaged(key -> put(key, text(200))))).result();
    shard.close();
    damageTable();
    open();
    shard.start();
  }

  private static ChangeBatch updates(RowExistenceExpectation condition) {
    List<ColumnUpdate> deleting = List.of(new ColumnUpdate.Delete("c"));
    return batch(1, damaged(key -> new RowUpdateChange(TestRows.key(key), deleting, condition)));
  }

  private static List<RowChange> damaged(Function<String, RowChange> change) {
    return IntStream.range(0, 300).mapToObj(i -> change.apply("k" + i)).toList();
  }

  /** Updates of small rows are not judged, neither now nor after the next start. */
  @Test
  void what_rows_do_not_exceed_is_stored_with_them() throws Exception {
    shard.start();
    Column column = new Column("c", ColumnValue.fromLong(1));
    assertThat(write(batch(1, put("k", column)), true).refusal()).isNull();
    assertThat(write(batch(2, put("k", column)), true).refusal()).isNull();
    shard.close();
    try (TableStore table = TableStore.open(directory, TABLE, () -> {})) {
      assertThat(table.bounds()).containsOnlyKeys(1, 2);
      RowBounds bounds = new RowBounds(table.bounds());
      ChangeBatch update =
          batch(
              1,
              new RowUpdateChange(
                  TestRows.key("k"), List.of(new ColumnUpdate.Put("c", ColumnValue.fromLong(1)))));
      assertThat(bounds.mustJudge(update, true, ColumnSizes.of(update))).isFalse();
    }
  }

  private void requireFailed() throws Exception {
    settle(shard);
    assertThat(write(batch(1, put("l"))).refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(shard.hasFailed()).isTrue();
    assertThat(shard.queuedBytes()).isZero();
  }

  /** Turns bits over in the middle of every table file. */
  private void damageTable() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        IntStream.range(bytes.length / 4, bytes.length / 2).forEach(i -> bytes[i] ^= 0x55);
        Files.write(file, bytes);
      }
    }
  }

  /** Its table was there when it was checked, and was dropped while it waited. */
  @Test
  void a_write_to_a_partition_that_is_gone_is_refused_and_its_neighbours_are_not()
      throws Exception {
    shard.close();
    live = partition -> partition != 2;
    open();
    Outcomes before = write(batch(1, put("a")));
    Outcomes dropped = write(batch(2, put("b")));
    Outcomes behind = write(batch(1, put("c")));
    shard.start();
    assertThat(before.result().firstPosition()).isEqualTo(1);
    assertThat(dropped.refusal()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
    assertThat(behind.result().firstPosition()).isEqualTo(2);
    assertThat(shard.log().committed(2)).isZero();
    assertThat(shard.table().get(2, keyBytes("b"))).isEmpty();
    assertThat(shard.queuedBytes()).isZero();
    assertThat(shard.hasFailed()).isFalse();
  }
}
