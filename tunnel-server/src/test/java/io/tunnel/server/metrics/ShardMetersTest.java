package io.tunnel.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RowChange;
import io.tunnel.model.RowDeleteChange;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.DiskWatch;
import io.tunnel.server.disk.OpenFiles;
import io.tunnel.server.disk.TappedDisk;
import io.tunnel.server.partition.NoMeter;
import io.tunnel.server.partition.Outcomes;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.partition.ShardConfig;
import io.tunnel.server.partition.Shards;
import io.tunnel.server.partition.TestClock;
import io.tunnel.server.partition.TestShards;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each meter of a shard is seen to rise and to fall, over a real shard on a disk that the test
 * changes. The other shard of the server does nothing, and its meters do not move.
 */
final class ShardMetersTest {

  private static final int RESERVED_BYTES = 1 << 20;
  private static final int SEGMENT_BYTES_MAX = 1 << 16;
  private static final long DEADLINE_S = 30;

  /** The partition that is written to, and its shard. */
  private static final int PARTITION = 1;

  /** Holds an operation of a thread of the shard up until the test lets the thread go. */
  private static final class Hold {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);

    void here() {
      reached.countDown();
      await(released);
    }

    static void await(CountDownLatch latch) {
      try {
        assertThat(latch.await(DEADLINE_S, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  /** Holds the end of a fold up when the test wants it. */
  private final class HeldFolds extends NoMeter {
    private volatile boolean areHeld;

    @Override
    public void folded(int shardId, long foldNanos) {
      if (areHeld) {
        hold.here();
      }
    }
  }

  @TempDir private Path directory;
  private final CrashDisk disk = new CrashDisk();
  private final TappedDisk tapped = new TappedDisk(disk);
  private final TestClock clock = new TestClock();
  private final Hold hold = new Hold();
  private final HeldFolds folds = new HeldFolds();
  private final ServerMeters meters = new ServerMeters(() -> 0L);
  private Shards shards;
  private Shard shard;

  @BeforeEach
  void open() throws IOException {
    Shards.Layout usual = TestShards.layout(directory, 2, SEGMENT_BYTES_MAX);
    Shards.Layout layout =
        new Shards.Layout(
            directory,
            2,
            SEGMENT_BYTES_MAX,
            new ShardConfig(64 << 10, 8 << 10, 8 << 20, RESERVED_BYTES),
            usual.table(),
            new OpenFiles(
                path -> path.startsWith(directory.resolve("shard-1")) ? tapped : new CrashDisk(),
                100));
    shards = Shards.open(layout, partition -> true, folds, clock);
    shard = shards.of(PARTITION);
    meters.watch(shards, RESERVED_BYTES);
  }

  @AfterEach
  void close() throws IOException {
    hold.released.countDown();
    meters.close();
    if (shard.hasFailed()) {
      assertThatThrownBy(shards::close).isInstanceOf(IOException.class);
    } else {
      shards.close();
    }
  }

  /** What the page says of the shard that is written to. */
  private double meter(String name) {
    return meter(name, 1);
  }

  private double meter(String name, int id) {
    String start = name + "{shard=\"" + id + "\"} ";
    return Scraped.of(meters)
        .lines()
        .filter(line -> line.startsWith(start))
        .mapToDouble(line -> Double.parseDouble(line.substring(start.length())))
        .findFirst()
        .orElseThrow();
  }

  private Outcomes write(ChangeBatch batch, boolean isSynced) {
    Outcomes outcome = new Outcomes();
    shard.write(new PendingWrite(batch, false, ColumnSizes.of(batch), isSynced, outcome));
    return outcome;
  }

  private static RowChange put(String key, int bytes) {
    return TestRows.put(key, new Column("v", ColumnValue.fromString("v".repeat(bytes))));
  }

  private static ChangeBatch row(String key) {
    return TestRows.batch(PARTITION, put(key, 4_000));
  }

  /** Until the shard has done what was asked of it, and has folded it. */
  private void settle() {
    CountDownLatch isDone = new CountDownLatch(1);
    shard.execute(Set.of(PARTITION), isDone::countDown);
    Hold.await(isDone);
  }

  @Test
  void a_write_that_waits_is_in_the_queue_and_a_disk_that_takes_longer_than_3_s_is_stalled()
      throws Exception {
    tapped.tap((operation, file) -> hold.here());
    Outcomes first = write(row("a"), true);
    Hold.await(hold.reached);
    assertThat(meter("tunnel_queue_bytes")).isZero();
    Outcomes second = write(row("b"), true);
    assertThat(meter("tunnel_queue_bytes")).isEqualTo(row("b").byteCount());
    assertThat(meter("tunnel_disk_stalled")).isZero();
    clock.pass(TimeUnit.NANOSECONDS.toMillis(DiskWatch.STALLED_NANOS) + 1);
    assertThat(meter("tunnel_disk_stalled")).isEqualTo(1);
    assertThat(meter("tunnel_disk_full")).isZero();
    assertThat(meter("tunnel_shard_failed")).isZero();
    assertThat(meter("tunnel_disk_stalled", 0)).isZero();
    hold.released.countDown();
    assertThat(first.refusal()).isNull();
    assertThat(second.refusal()).isNull();
    settle();
    assertThat(meter("tunnel_queue_bytes")).isZero();
    assertThat(meter("tunnel_disk_stalled")).isZero();
  }

  @Test
  void a_disk_is_full_below_the_reserve_and_no_longer_when_there_is_room() {
    assertThat(meter("tunnel_disk_reserved_bytes")).isEqualTo(RESERVED_BYTES);
    disk.room(RESERVED_BYTES - 1);
    shard.lookForRoom();
    settle();
    assertThat(meter("tunnel_disk_free_bytes")).isEqualTo(RESERVED_BYTES - 1);
    assertThat(meter("tunnel_disk_full")).isEqualTo(1);
    assertThat(meter("tunnel_disk_stalled")).isZero();
    assertThat(meter("tunnel_shard_failed")).isZero();
    assertThat(meter("tunnel_disk_full", 0)).isZero();
    disk.room(RESERVED_BYTES);
    shard.lookForRoom();
    settle();
    assertThat(meter("tunnel_disk_free_bytes")).isEqualTo(RESERVED_BYTES);
    assertThat(meter("tunnel_disk_full")).isZero();
    assertThat(meter("tunnel_disk_reserved_bytes")).isEqualTo(RESERVED_BYTES);
  }

  @Test
  void a_shard_has_failed_after_a_write_that_failed() throws Exception {
    assertThat(meter("tunnel_shard_failed")).isZero();
    disk.failAfter(CrashDisk.Operation.WRITE, 0);
    assertThat(write(row("a"), true).refusal()).isEqualTo(ErrorCode.STORAGE_FAILED);
    assertThat(meter("tunnel_shard_failed")).isEqualTo(1);
    assertThat(meter("tunnel_shard_failed", 0)).isZero();
    assertThat(meter("tunnel_disk_full")).isZero();
    assertThat(meter("tunnel_disk_stalled")).isZero();
  }

  @Test
  void a_log_grows_by_its_writes_and_shrinks_by_the_files_that_go() throws Exception {
    double startBytes = meter("tunnel_log_bytes");
    assertThat(meter("tunnel_log_segments")).isEqualTo(1);
    long writtenBytes = 0;
    while (writtenBytes < 3 * SEGMENT_BYTES_MAX) {
      ChangeBatch batch = row("a" + writtenBytes);
      assertThat(write(batch, true).refusal()).isNull();
      writtenBytes += batch.byteCount();
    }
    double grownBytes = meter("tunnel_log_bytes");
    double grown = meter("tunnel_log_segments");
    assertThat(grownBytes - startBytes).isGreaterThan((double) writtenBytes);
    assertThat(grown).isGreaterThanOrEqualTo(3);
    assertThat(meter("tunnel_log_segments", 0)).isEqualTo(1);
    settle();
    var freed = shard.log().trim(Map.of(), partition -> false, Long.MAX_VALUE);
    assertThat(freed.segments()).isPositive();
    assertThat(meter("tunnel_log_bytes")).isEqualTo(grownBytes - freed.bytes());
    assertThat(meter("tunnel_log_segments")).isEqualTo(grown - freed.segments());
  }

  @Test
  void bytes_are_unsynced_until_the_next_sync() throws Exception {
    assertThat(write(row("a"), true).refusal()).isNull();
    settle();
    assertThat(meter("tunnel_log_unsynced_bytes")).isZero();
    double syncedBytes = meter("tunnel_log_bytes");
    assertThat(write(row("b"), false).refusal()).isNull();
    settle();
    assertThat(meter("tunnel_log_unsynced_bytes"))
        .isEqualTo(meter("tunnel_log_bytes") - syncedBytes)
        .isGreaterThan(row("b").byteCount());
    assertThat(write(row("c"), true).refusal()).isNull();
    settle();
    assertThat(meter("tunnel_log_unsynced_bytes")).isZero();
  }

  private static Stream<String> keys() {
    return Stream.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  }

  @Test
  void a_fold_lags_until_the_table_has_the_rows_and_the_table_counts_them() throws Exception {
    double startKeys = meter("tunnel_rocksdb_keys");
    double bufferBytes = meter("tunnel_rocksdb_writebuffer_bytes");
    folds.areHeld = true;
    assertThat(meter("tunnel_fold_lag_bytes")).isZero();
    ChangeBatch rows = TestRows.batch(PARTITION, keys().map(key -> put(key, 500)).toList());
    assertThat(write(rows, true).refusal()).isNull();
    double held = meter("tunnel_fold_lag_bytes");
    assertThat(held).isGreaterThanOrEqualTo(rows.byteCount());
    Hold.await(hold.reached);
    assertThat(meter("tunnel_fold_lag_bytes")).isEqualTo(held);
    hold.released.countDown();
    settle();
    assertThat(meter("tunnel_fold_lag_bytes")).isZero();
    assertThat(meter("tunnel_rocksdb_keys")).isGreaterThan(startKeys);
    assertThat(meter("tunnel_rocksdb_writebuffer_bytes")).isGreaterThan(bufferBytes);
    double grown = meter("tunnel_rocksdb_keys");
    List<RowChange> gone = keys().map(TestRows::key).<RowChange>map(RowDeleteChange::new).toList();
    assertThat(write(TestRows.batch(PARTITION, gone), true).refusal()).isNull();
    settle();
    assertThat(meter("tunnel_rocksdb_keys")).isLessThan(grown);
    assertThat(meter("tunnel_rocksdb_keys", 0)).isZero();
  }
}
