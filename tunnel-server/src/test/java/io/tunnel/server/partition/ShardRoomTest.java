package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.DiskCondition;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.TestLogs;
import io.tunnel.server.partition.judge.RowBounds;
import io.tunnel.server.table.BesideRows;
import io.tunnel.server.table.TableFold;
import io.tunnel.server.table.TableStore;
import io.tunnel.server.table.TableStoreConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a shard does when its disk is full, failed or slow. The test is the shard's thread. */
final class ShardRoomTest {

  private static final long FREE_BYTES_MIN = 1 << 20;
  private static final ShardConfig CONFIG =
      new ShardConfig(64 << 10, 8 << 10, 8 << 20, FREE_BYTES_MIN);
  private static final TableStoreConfig TABLE = new TableStoreConfig(1 << 20, 1 << 20, 1);

  @TempDir private Path directory;
  private CrashDisk disk = new CrashDisk();
  private TightRows rows;
  private Shard shard;
  private final List<DiskCondition> conditions = new ArrayList<>();
  private long nowNanos;

  /** How long each group takes. */
  private long stallNanos;

  private void open(ShardConfig config) throws IOException {
    LocalLog log = TestLogs.open(disk, 0);
    TableStore table = TableStore.open(directory, TABLE, log::sync);
    rows =
        new TightRows(
            new StoredRows(table, SeenChanges.of(RowBounds.unknown()), partition -> true));
    shard = new Shard(0, config, new LocalShardLog(log), rows, new NoMeter(), new Clock());
  }

  /** Rows that have room when the test says so. */
  private final class TightRows implements ShardRows {
    private final StoredRows real;
    private boolean isFull;

    TightRows(StoredRows real) {
      this.real = real;
    }

    @Override
    public TableFold begin(List<ChangeBatch> batches, BesideRows beside) {
      TableFold fold = real.begin(batches, beside);
      AtomicBoolean isAgain = new AtomicBoolean();
      return (offsets, mayGoOn) -> {
        if (isAgain.getAndSet(true)) {
          duringFoldAgain.run();
        }
        if (isFull) {
          throw new DiskFullException("No space left on device");
        }
        return fold.run(offsets, mayGoOn);
      };
    }

    @Override
    public SeenChanges seen() {
      return real.seen();
    }

    @Override
    public boolean isLive(int partition) {
      return true;
    }

    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return real.exists(partition, array, keyOffset, keyBytes);
    }

    @Override
    public Optional<SortedMap<String, Bytes>> columns(int partition, Bytes key) {
      return real.columns(partition, key);
    }

    @Override
    public TableStore store() {
      return real.store();
    }

    @Override
    public void close() throws IOException {
      real.close();
    }
  }

  /** Events while a part is folded again that found no room before. */
  private Runnable duringFoldAgain = () -> {};

  private final class Clock implements Shard.Clock {
    @Override
    public long epochMicros() {
      // Asked when the shard is made, in front of each group, and in the middle of each group.
      if (shard != null) {
        nowNanos += stallNanos;
        conditions.add(shard.condition());
      }
      return nowNanos / 1_000;
    }

    @Override
    public long nanos() {
      return nowNanos;
    }
  }

  @BeforeEach
  void open() throws IOException {
    open(CONFIG);
  }

  @AfterEach
  void close() throws IOException {
    try {
      shard.close();
    } catch (IOException e) {
      assertThat(shard.hasFailed()).isTrue();
    }
  }

  private Outcomes write(String key) {
    Outcomes outcome = new Outcomes();
    shard.write(Outcomes.write(batch(1, put(key)), false, outcome));
    steps();
    return outcome;
  }

  private void steps() {
    while (!shard.isIdle()) {
      assertThat(shard.step()).isTrue();
    }
  }

  private boolean has(String key) {
    shard.requireWhole();
    return shard.table().get(1, keyBytes(key)).isPresent();
  }

  @Test
  void below_its_reserve_a_disk_takes_nothing_and_rows_are_read_until_there_is_room()
      throws Exception {
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    long end = shard.log().end();
    disk.room(FREE_BYTES_MIN - 1);
    Outcomes refused = write("b");
    assertThat(refused.refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(shard.log().end()).isEqualTo(end);
    assertThat(shard.queuedBytes()).isZero();
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThat(shard.hasFailed()).isFalse();
    assertThat(has("a")).isTrue();
    disk.room(FREE_BYTES_MIN);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    shard.lookForRoom();
    steps();
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    assertThat(write("c").result().firstPosition()).isEqualTo(2);
    assertThat(has("c")).isTrue();
    assertThat(has("b")).isFalse();
  }

  @Test
  void a_disk_that_gets_full_is_noticed_though_nobody_writes_before_and_after_a_start()
      throws Exception {
    disk.room(FREE_BYTES_MIN - 1);
    assertThat(shard.condition()).as("nobody has looked").isEqualTo(DiskCondition.UP);
    shard.lookForRoom();
    steps();
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    shard.close();
    open(CONFIG);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    disk.room(FREE_BYTES_MIN);
    shard.lookForRoom();
    steps();
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
  }

  /** A start whose rows were lost, and have room for so many groups of the log. */
  private void startBehind(int groups) throws IOException {
    LocalLog log = TestLogs.open(disk, 0);
    TableStore table = TableStore.open(directory.resolve("again"), TABLE, log::sync);
    rows =
        new TightRows(
            new StoredRows(table, SeenChanges.of(RowBounds.unknown()), partition -> true));
    int[] left = {groups};
    Refold refold =
        new Refold(
            table,
            partition -> true,
            partition -> Optional.empty(),
            (batches, beside) -> {
              rows.isFull = left[0]-- <= 0;
              return rows.begin(batches, beside);
            });
    CatchUp rest = new CatchUp(log, table, refold);
    shard = new Shard(0, CONFIG, new LocalShardLog(log), rows, new NoMeter(), new Clock());
    DiskFullException full = assertThrows(DiskFullException.class, rest::fold);
    shard.beginBehind(rest, full);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    left[0] = Integer.MAX_VALUE;
  }

  @Test
  void a_start_without_room_for_the_rows_serves_changes_and_folds_the_rest_when_there_is_room()
      throws Exception {
    for (String key : List.of("a", "b", "c", "d")) {
      var unused = write(key);
    }
    shard.close();
    startBehind(2);
    assertThat(shard.log().committed(1)).as("changes are read").isEqualTo(4);
    assertThat(TestLogs.batches(shard.log(), 1)).hasSize(4);
    assertThat(write("e").refusal()).isEqualTo(ErrorCode.BUSY);
    assertThatThrownBy(() -> has("a"))
        .hasMessageContaining("the last writes are not in the table; try again later");
    shard.dropPartition(2);
    shard.lookForRoom();
    steps();
    assertThat(shard.condition()).as("still no room").isEqualTo(DiskCondition.DISK_FULL);
    rows.isFull = false;
    shard.lookForRoom();
    steps();
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    assertThat(List.of(has("a"), has("b"), has("c"), has("d"))).containsOnly(true);
    assertThat(rows.store().foldedOffset()).isEqualTo(shard.log().end());
    assertThat(rows.store().foldedRows()).as("each once").isEqualTo(4);
    assertThat(write("e").result().firstPosition()).isEqualTo(5);
    assertThat(has("e")).isTrue();
  }

  @Test
  void a_write_that_finds_no_room_is_nowhere_and_the_next_one_takes_its_position()
      throws Exception {
    shard.close();
    open(new ShardConfig(64 << 10, 8 << 10, 8 << 20, 0));
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    disk.room(20);
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThat(has("a")).isTrue();
    disk.room(Long.MAX_VALUE);
    assertThat(write("c").result().firstPosition()).isEqualTo(2);
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    disk = disk.crash(new Random(1));
    close();
    open();
    assertThat(TestLogs.rows(TestLogs.batches(shard.log(), 1))).isEqualTo(2);
  }

  @Test
  void rows_that_lack_what_was_acknowledged_are_not_read_until_the_table_has_room()
      throws Exception {
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    rows.isFull = true;
    assertThat(write("b").result().firstPosition()).isEqualTo(2);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    assertThatThrownBy(() -> has("b"))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    assertThat(write("c").refusal()).isEqualTo(ErrorCode.BUSY);
    assertThat(shard.log().committed(1)).isEqualTo(2);
    rows.isFull = false;
    shard.lookForRoom();
    steps();
    assertThat(has("b")).isTrue();
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
    assertThat(write("d").result().firstPosition()).isEqualTo(3);
  }

  /** The queue of folds has forgotten its failure by then, and the rows do not have all yet. */
  @Test
  void rows_are_not_read_while_what_they_lack_is_folded_again() throws Exception {
    rows.isFull = true;
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    assertThat(shard.condition()).isEqualTo(DiskCondition.DISK_FULL);
    List<Throwable> reads = new ArrayList<>();
    duringFoldAgain = () -> reads.add(catchThrowable(shard::requireWhole));
    rows.isFull = false;
    shard.lookForRoom();
    steps();
    assertThat(reads)
        .singleElement()
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BUSY));
    assertThat(has("a")).isTrue();
  }

  @Test
  void a_group_that_takes_seconds_is_said_while_it_lasts() throws Exception {
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    stallNanos = TimeUnit.SECONDS.toNanos(4);
    assertThat(write("b").result().firstPosition()).isEqualTo(2);
    assertThat(conditions)
        .as("in front of each group, and in the middle of each group")
        .containsExactly(
            DiskCondition.UP, DiskCondition.UP, DiskCondition.UP, DiskCondition.DISK_STALLED);
    assertThat(shard.condition()).isEqualTo(DiskCondition.UP);
  }

  @Test
  void behind_a_log_that_failed_rows_are_read_and_nothing_is_written() throws Exception {
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    disk.failAfter(CrashDisk.Operation.SYNC, 0);
    assertThat(write("b").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    disk.failAfter(CrashDisk.Operation.SYNC, Integer.MAX_VALUE);
    assertThat(write("c").refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(shard.condition()).isEqualTo(DiskCondition.STORAGE_FAILED);
    assertThat(shard.hasFailed()).isTrue();
    assertThat(has("a")).isTrue();
    assertThat(has("b")).isFalse();
  }

  /** The thread that syncs is RocksDB's; the shard is told by its log. */
  @Test
  void a_log_that_failed_under_a_flush_is_said_before_the_next_write() throws Exception {
    assertThat(write("a").result().firstPosition()).isEqualTo(1);
    disk.failAfter(CrashDisk.Operation.SYNC, 0);
    assertThatThrownBy(shard.log()::sync).isInstanceOf(IOException.class);
    assertThat(shard.condition()).isEqualTo(DiskCondition.STORAGE_FAILED);
  }
}
