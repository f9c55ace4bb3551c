package io.tunnel.server.log;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.CrashDisk.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Giving up old changes, and what a crash in the middle of it leaves. */
final class LogTrimTest {

  static LongStream seeds() {
    return LongStream.range(0, 120);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void what_is_given_up_stays_so_and_all_else_stays_through_any_crash(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    for (int life = 0; life < 6; life++) {
      for (int step = history.random.nextInt(4); step >= 0; step--) {
        history.append(history.random.nextInt(12));
        history.trim();
        history.requireEqual();
      }
      history.endLife();
      history.requireEqual();
    }
  }

  /** Every operation of the disk fails once, and then the process or the machine goes down. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_trim_that_fails_anywhere_is_wholly_there_or_not_after_a_crash(long seed)
      throws IOException {
    boolean hasFailed = true;
    for (int operation = 0; hasFailed; operation++) {
      LogHistory history = new LogHistory(seed);
      history.append(25);
      history.log.sync();
      history.model.synced();
      history.disk.failAfter(Operation.REPLACE, operation == 0 ? 0 : 1);
      history.disk.failAfter(Operation.DELETE, Math.max(0, operation - 1));
      hasFailed = fails(history);
      history.disk = history.random.nextBoolean() ? history.disk.kill() : crashed(history);
      failToOpen(history);
      history.open();
      history.requireTrimmedWhollyOrNot();
      history.requireEqual();
      history.append(5);
      history.trim();
      history.requireEqual();
      history.crash();
      history.requireEqual();
    }
  }

  /** The start, which deletes what the crash left, goes down in the middle of that. */
  private static void failToOpen(LogHistory history) {
    history.disk.failAfter(Operation.DELETE, history.random.nextInt(3));
    try {
      history.open();
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
      assertThat(history.disk.openFiles()).isZero();
    }
    history.disk = crashed(history);
  }

  private static CrashDisk crashed(LogHistory history) {
    return history.disk.crash(history.random);
  }

  private static boolean fails(LogHistory history) {
    try {
      history.trim();
      return false;
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("injected");
      return true;
    }
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void a_trim_frees_files_of_a_disk_without_any_room_also_after_a_start(long seed)
      throws IOException {
    LogHistory history = new LogHistory(seed);
    history.append(25);
    history.log.sync();
    history.model.synced();
    assertThat(history.trim()).as("makes the reserve, for there is room").isNotNull();
    history.append(25);
    history.log.sync();
    history.model.synced();
    history.endLife();
    history.disk.givesRoomBack();
    for (int i = 0; i < 5; i++) {
      history.disk.room(0);
      assertThat(history.trim()).isNotNull();
      history.requireEqual();
      history.disk.room(2 << 20);
      assertThat(history.trim()).as("makes the reserve again").isNotNull();
    }
    history.crash();
    history.requireEqual();
  }

  @Test
  void histories_delete_files_and_leave_holes() throws IOException {
    int deleted = 0;
    int holes = 0;
    for (long seed = 0; seed < 20; seed++) {
      LogHistory history = new LogHistory(seed);
      history.append(60);
      deleted += (int) history.trim().segments();
      history.append(60);
      history.trim();
      holes += history.bases().first() == 0 && history.log.wholeFrom() > 0 ? 1 : 0;
    }
    assertThat(deleted).as("segments deleted").isGreaterThan(20);
    assertThat(holes).as("logs that keep their first segment and not the next").isPositive();
  }

  /** Everything that is sealed goes, of every partition. */
  private static LocalLog.Freed trimAll(LogHistory history) throws IOException {
    Map<Integer, Long> lastBases = new TreeMap<>();
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      lastBases.put(partition, Long.MAX_VALUE);
    }
    return history.log.trim(lastBases, partition -> true, history.log.end());
  }

  @Test
  void a_partition_without_any_change_left_still_knows_its_positions_and_times()
      throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    history.log.seal();
    LocalLog.Freed freed = trimAll(history);
    assertThat(freed.changes()).isEqualTo(total(history));
    assertThat(freed.segments()).isPositive();
    assertThat(history.disk.names(".log")).hasSize(1);
    assertThat(history.disk.names(".index")).isEmpty();
    long newest = history.model.newestMicros();
    for (boolean isGraceful : new boolean[] {true, false}) {
      if (isGraceful) {
        history.close();
      } else {
        history.disk = history.disk.crash(history.random);
      }
      history.open();
      for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
        long committed = history.model.rows(partition).size();
        assertThat(history.log.committed(partition)).isEqualTo(committed);
        assertThat(history.log.firstPosition(partition)).isEqualTo(committed + 1);
        assertThat(history.log.bytesAfter(partition, 0)).isZero();
        assertThat(history.log.positionBefore(partition, Long.MAX_VALUE)).isEqualTo(committed);
      }
    }
    GroupCore group = new GroupCore(4_096);
    group.add(batch(1, put("k")));
    long before = history.log.committed(1);
    assertThat(history.log.append(group, true, 0)).containsExactly(before + 1);
    assertThat(history.log.commitMicrosAfter(1, before)).isEqualTo(newest);
  }

  @Test
  void it_is_known_when_the_last_change_that_was_given_up_was_committed() throws IOException {
    LogHistory history = new LogHistory(4);
    GroupCore group = new GroupCore(4_096);
    for (int i = 1; i <= 4; i++) {
      group.add(batch(1, put("k")));
      group.add(batch(2, put("k")));
      history.log.append(group, true, 100L * i);
      group.clear();
      history.log.seal();
    }
    List<Long> bases = List.copyOf(history.bases());
    assertThat(history.log.givenUpMicros(1)).as("nothing is").contains(0L);
    history.log.trim(Map.of(1, bases.get(1)), partition -> true, 0);
    assertThat(history.log.firstPosition(1)).isEqualTo(3);
    assertThat(history.log.givenUpMicros(1)).as("not what else is sealed").contains(200L);
    history.log.trim(Map.of(2, bases.get(0)), partition -> true, history.log.end());
    assertThat(history.log.givenUpMicros(1)).contains(200L);
    history.disk = history.disk.crash(history.random);
    history.open();
    assertThat(history.log.givenUpMicros(1)).contains(200L);
    history.log.trim(Map.of(), partition -> false, history.log.end());
    assertThat(history.log.givenUpMicros(1)).as("files of dropped tables").contains(400L);
  }

  private static long total(LogHistory history) {
    long total = 0;
    for (int partition = 1; partition <= LogHistory.PARTITIONS; partition++) {
      total += history.model.rows(partition).size();
    }
    return total;
  }

  @Test
  void an_empty_segment_is_not_sealed() throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(true);
    history.log.seal();
    long end = history.log.end();
    history.log.seal();
    assertThat(history.log.end()).isEqualTo(end);
    assertThat(history.log.segmentCount()).isEqualTo(2);
  }

  @Test
  void a_file_that_the_table_needs_stays_until_the_table_has_it_on_disk() throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    history.log.seal();
    Map<Integer, Long> none = Map.of();
    long end = history.log.end();
    int segments = history.log.segmentCount();
    LocalLog.Freed freed = history.log.trim(none, partition -> false, 0);
    assertThat(freed.segments()).isZero();
    assertThat(freed.isHeldByTable()).isTrue();
    assertThat(history.log.segmentCount()).isEqualTo(segments);
    freed = history.log.trim(none, partition -> false, end);
    assertThat(freed.segments()).isEqualTo(segments - 1);
    assertThat(freed.isHeldByTable()).isFalse();
  }

  @Test
  void a_replay_that_needs_deleted_bytes_is_refused() throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    trimAll(history);
    assertThatThrownBy(() -> history.log.replay(0, null))
        .isInstanceOf(CorruptLogException.class)
        .hasMessageContaining("restore the table from a copy");
  }

  @Test
  void a_position_behind_the_trim_is_refused_with_the_range_that_is_lost_also_after_a_start()
      throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    trimAll(history);
    for (int life = 0; life < 2; life++) {
      long first = history.log.firstPosition(2);
      assertThat(first).isGreaterThan(2);
      assertThatThrownBy(() -> history.log.plan(2, 1, 1))
          .isInstanceOfSatisfying(
              RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST))
          .hasMessageContaining("changes 1 to " + (first - 1) + " of partition 2 are no longer");
      assertThat(history.log.plan(2, first, 1).isEmpty())
          .isEqualTo(first > history.log.committed(2));
      history.disk = history.disk.kill();
      history.open();
    }
  }

  @Test
  void what_was_planned_before_its_file_went_is_lost_by_name() throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    Extents planned = history.log.plan(2, 1, 1);
    trimAll(history);
    assertThatThrownBy(() -> planned.read(ByteBuffer.allocate(planned.bytes())))
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST))
        .hasMessageContaining("changes 1 to " + planned.lastPosition() + " of partition 2");
  }

  @Test
  void a_sync_that_meets_a_segment_that_went_meanwhile_is_no_failure() throws IOException {
    CrashDisk disk = new CrashDisk();
    Segment segment = new Segment(0, disk.open("file"), 0);
    segment.drop();
    segment.sync();
    Segment closed = new Segment(0, disk.open("file"), 0);
    closed.close();
    assertThatThrownBy(closed::sync).isInstanceOf(IOException.class);
  }

  @Test
  void readers_on_other_threads_get_changes_in_order_or_history_lost_while_files_go()
      throws Exception {
    LogHistory history = new LogHistory(5);
    history.append(1);
    AtomicBoolean isDone = new AtomicBoolean();
    ExecutorService readers = Executors.newFixedThreadPool(2);
    try {
      List<Future<Long>> reads =
          List.of(
              readers.submit(() -> follow(history.log, new Random(1), isDone)),
              readers.submit(() -> follow(history.log, new Random(2), isDone)));
      for (int i = 0; i < 400; i++) {
        history.append(false);
        trimAll(history);
      }
      isDone.set(true);
      for (Future<Long> read : reads) {
        assertThat(read.get()).isEqualTo(history.log.committed(1));
      }
    } finally {
      isDone.set(true);
      readers.shutdown();
    }
  }

  /** Follows partition 1; what is lost is skipped, to where the log says that it goes on. */
  private static long follow(LocalLog log, Random random, AtomicBoolean isDone) throws IOException {
    long last = 0;
    boolean isLastLook;
    do {
      isLastLook = isDone.get();
      log.commitMicrosAfter(1, last);
      log.positionBefore(1, 1_000_000 + random.nextInt(100_000));
      try {
        last += LogModel.read(log, 1, last + 1, random).size();
      } catch (RefusedException e) {
        assertThat(e.code()).isEqualTo(ErrorCode.HISTORY_LOST);
        assertThat(log.firstPosition(1)).isGreaterThan(last + 1);
        last = log.firstPosition(1) - 1;
        isLastLook = false;
      }
    } while (!isLastLook);
    return last;
  }

  @Test
  void changes_of_dropped_partitions_go_at_once_and_others_stay() throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(30);
    LocalLog.Freed freed = history.log.trim(Map.of(), partition -> partition != 2, Long.MAX_VALUE);
    assertThat(freed.changes()).isEqualTo(history.model.rows(2).size());
    assertThat(history.log.bytesAfter(2, 0)).isZero();
    assertThat(LogModel.read(history.log, 1, 1, history.random)).isEqualTo(history.model.rows(1));
    assertThat(history.log.trim(Map.of(), partition -> partition != 2, Long.MAX_VALUE).changes())
        .isZero();
  }

  /** Damages each file but the last once, so ranges behind the file join an existing range. */
  @ParameterizedTest(name = "delete {0} fails")
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void a_trim_that_could_not_delete_a_file_is_gone_on_with_and_the_log_opens_again(int deleted)
      throws IOException {
    LogHistory history = new LogHistory(4);
    history.append(60);
    assertThat(history.log.segmentCount()).isGreaterThan(4);
    history.disk.failAfter(Operation.DELETE, deleted);
    assertThatThrownBy(() -> trimAll(history)).hasMessageContaining("injected");
    history.disk.failAfter(Operation.DELETE, Integer.MAX_VALUE);
    trimAll(history);
    history.append(60);
    trimAll(history);
    long end = history.log.end();
    history.disk = history.disk.kill();
    history.open();
    assertThat(history.log.end()).isEqualTo(end);
    assertThat(history.disk.names(".log")).hasSize(history.log.segmentCount());
  }
}
