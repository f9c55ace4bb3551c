package io.tunnel.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.BatchBuilder;
import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.server.TestRows;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.disk.CrashDisk;
import io.tunnel.server.disk.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Batches whose positions have holes and whose commit times are given. */
class AdoptTest {

  private static final int SEGMENT_BYTES = 4_096;

  private final TreeMap<Integer, List<ChangeBatch>> adopted = new TreeMap<>();

  private static ChangeBatch batch(int partition, long position, int rows, long micros) {
    BatchBuilder builder = new BatchBuilder(TestRows.SCHEMA, 256);
    for (int i = 0; i < rows; i++) {
      builder.add(TestRows.put("k" + i, new Column("c", ColumnValue.fromLong(position + i))));
    }
    byte[] array = builder.build(partition, position, micros);
    return ChangeBatch.parse(array, 0, array.length);
  }

  /** Groups of random batches: positions with holes, times that fall from one to another. */
  private void adopt(LocalLog log, Random random, int groups) throws IOException {
    for (int i = 0; i < groups; i++) {
      List<ChangeBatch> group = new ArrayList<>();
      for (int left = 1 + random.nextInt(4); left > 0; left--) {
        int partition = 1 + random.nextInt(3);
        List<ChangeBatch> before = adopted.computeIfAbsent(partition, id -> new ArrayList<>());
        long last = before.isEmpty() ? 0 : before.get(before.size() - 1).lastPosition();
        long micros = before.isEmpty() ? 0 : before.get(before.size() - 1).commitMicros();
        ChangeBatch batch =
            batch(
                partition,
                last + 1 + (long) random.nextInt(3) * random.nextInt(4),
                1 + random.nextInt(5),
                micros + partition * 1_000L + random.nextInt(50));
        before.add(batch);
        group.add(batch);
      }
      log.adopt(group);
    }
  }

  private void requireAll(LocalLog log) throws IOException {
    for (Map.Entry<Integer, List<ChangeBatch>> entry : adopted.entrySet()) {
      int partition = entry.getKey();
      List<ChangeBatch> batches = entry.getValue();
      long last = batches.get(batches.size() - 1).lastPosition();
      assertThat(log.committed(partition)).isEqualTo(last);
      for (long position = 1; position <= last + 2; position++) {
        long from = position;
        List<ChangeBatch> expected =
            batches.stream().filter(batch -> batch.lastPosition() >= from).toList();
        assertThat(text(read(log, partition, from))).isEqualTo(text(expected));
        assertThat(log.bytesAfter(partition, from - 1))
            .isEqualTo(expected.stream().mapToLong(ChangeBatch::byteCount).sum());
        assertThat(log.commitMicrosAfter(partition, from - 1))
            .isEqualTo(expected.isEmpty() ? 0 : expected.get(0).commitMicros());
      }
    }
  }

  /** As a channel reads: plan after plan. */
  private static List<ChangeBatch> read(LocalLog log, int partition, long position)
      throws IOException {
    List<ChangeBatch> batches = new ArrayList<>();
    long next = position;
    for (Extents plan = log.plan(partition, next, 300);
        !plan.isEmpty();
        plan = log.plan(partition, next, 300)) {
      ByteBuffer target = ByteBuffer.allocate(plan.bytes());
      plan.read(target);
      for (int at = 0; at < target.limit(); ) {
        ChangeBatch batch = ChangeBatch.parse(target.array(), at, target.limit());
        batches.add(batch);
        at += batch.byteCount();
      }
      next = plan.lastPosition() + 1;
    }
    return batches;
  }

  private static List<String> text(List<ChangeBatch> batches) {
    return batches.stream().map(batch -> batch + " at " + batch.commitMicros()).toList();
  }

  @Test
  void what_is_adopted_is_read_as_it_was_also_when_the_log_is_opened_again() throws IOException {
    for (long seed = 1; seed <= 5; seed++) {
      adopted.clear();
      Random random = new Random(seed);
      CrashDisk disk = new CrashDisk();
      LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
      for (int i = 0; i < 4; i++) {
        adopt(log, random, 20);
        requireAll(log);
        if (random.nextBoolean()) {
          log.close();
          log = LocalLog.open(disk, 3, SEGMENT_BYTES);
        } else {
          disk = disk.kill();
          log = LocalLog.open(disk, 3, SEGMENT_BYTES);
        }
        requireAll(log);
      }
    }
  }

  @Test
  void an_index_that_is_lost_is_made_again_with_its_holes_and_times() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
    adopt(log, new Random(1), 60);
    List<Kept> kept = log.kept(adopted.keySet());
    log.close();
    for (String name : disk.names(".index")) {
      disk.delete(name);
    }
    LocalLog again = LocalLog.open(disk, 3, SEGMENT_BYTES);
    requireAll(again);
    assertThat(again.kept(adopted.keySet())).isEqualTo(kept);
  }

  @Test
  void times_of_a_segment_are_those_of_its_oldest_and_newest_batch() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
    log.adopt(List.of(batch(1, 10, 1, 5_000), batch(2, 7, 1, 9_000)));
    log.adopt(List.of(batch(1, 20, 1, 5_001), batch(2, 9, 1, 9_000), batch(3, 1, 1, 100)));
    log.seal();
    requireTimes(log);
    log.close();
    requireTimes(LocalLog.open(disk, 3, SEGMENT_BYTES));
  }

  private static void requireTimes(LocalLog log) throws IOException {
    Kept kept = log.kept(List.of(1, 2, 3)).get(0);
    assertThat(kept.oldestMicros()).isEqualTo(100);
    assertThat(kept.newestMicros()).isEqualTo(9_000);
  }

  @Test
  void a_crash_leaves_a_beginning_of_what_was_adopted() throws IOException {
    for (long seed = 1; seed <= 40; seed++) {
      adopted.clear();
      Random random = new Random(seed);
      CrashDisk disk = new CrashDisk();
      LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
      adopt(log, random, 10);
      log.sync();
      Map<Integer, Long> synced = committed(log);
      adopt(log, random, 10);
      LocalLog after = LocalLog.open(disk.crash(random), 3, SEGMENT_BYTES);
      for (Map.Entry<Integer, List<ChangeBatch>> entry : adopted.entrySet()) {
        int partition = entry.getKey();
        long end = after.committed(partition);
        assertThat(end).isGreaterThanOrEqualTo(synced.getOrDefault(partition, 0L));
        entry.getValue().removeIf(batch -> batch.basePosition() > end);
      }
      adopted.values().removeIf(List::isEmpty);
      requireAll(after);
      adopt(after, random, 10);
      requireAll(after);
    }
  }

  private Map<Integer, Long> committed(LocalLog log) {
    Map<Integer, Long> committed = new TreeMap<>();
    adopted.keySet().forEach(partition -> committed.put(partition, log.committed(partition)));
    return committed;
  }

  @Test
  void a_tail_cut_off_at_any_byte_leaves_whole_groups() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
    adopt(log, new Random(7), 5);
    String name = LogFormat.segmentName(0);
    byte[] bytes = disk.bytes(name);
    for (int length = LogFormat.SEGMENT_HEADER_BYTES; length < bytes.length; length++) {
      CrashDisk cut = new CrashDisk();
      cut.put(name, Arrays.copyOf(bytes, length));
      LocalLog after = LocalLog.open(cut, 3, SEGMENT_BYTES);
      for (Map.Entry<Integer, List<ChangeBatch>> entry : adopted.entrySet()) {
        long end = after.committed(entry.getKey());
        List<ChangeBatch> left =
            entry.getValue().stream().filter(batch -> batch.basePosition() <= end).toList();
        assertThat(text(read(after, entry.getKey(), 1))).isEqualTo(text(left));
      }
    }
  }

  @Test
  void what_is_adopted_behind_a_seal_without_room_for_a_header_stands_in_the_next_segment()
      throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
    adopt(log, new Random(1), 3);
    long end = log.end();
    CrashDisk twin = disk.copy();
    LocalLog.open(twin, 3, SEGMENT_BYTES).seal();
    disk.room(twin.bytes(LogFormat.indexName(0)).length);
    assertThatThrownBy(log::seal).isInstanceOf(DiskFullException.class);
    assertThat(disk.names(".log")).hasSize(2);
    disk.room(Long.MAX_VALUE);
    ChangeBatch first = batch(4, 1, 2, 5_000);
    log.adopt(List.of(first));
    adopted.put(4, List.of(first));
    requireAll(LocalLog.open(disk.copy(), 3, SEGMENT_BYTES));
    adopt(log, new Random(2), 3);
    requireAll(log);
    assertThat(disk.bytes(LogFormat.segmentName(0))).hasSize((int) end);
    requireAll(LocalLog.open(disk.kill(), 3, SEGMENT_BYTES));
  }

  @Test
  void what_was_given_up_is_lost_and_a_hole_before_what_is_kept_is_not() throws IOException {
    CrashDisk disk = new CrashDisk();
    LocalLog log = LocalLog.open(disk, 3, SEGMENT_BYTES);
    log.adopt(List.of(batch(1, 10, 2, 5_000)));
    log.seal();
    log.adopt(List.of(batch(1, 20, 2, 6_000)));
    assertThat(log.plan(1, 12, 1).lastPosition()).isEqualTo(21);
    assertThat(log.keptFrom(1)).isEqualTo(1);
    log.trim(Map.of(1, 0L), partition -> true, Long.MAX_VALUE);
    requireTrimmed(log);
    log.close();
    requireTrimmed(LocalLog.open(disk, 3, SEGMENT_BYTES));
  }

  private static void requireTrimmed(LocalLog log) {
    assertThat(log.keptFrom(1)).isEqualTo(12);
    assertThat(log.plan(1, 12, 1).lastPosition()).isEqualTo(21);
    assertThatThrownBy(() -> log.plan(1, 11, 1))
        .isInstanceOfSatisfying(
            RefusedException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.HISTORY_LOST));
  }

  @Test
  void positions_that_do_not_rise_are_refused_and_the_log_goes_on() throws IOException {
    LocalLog log = LocalLog.open(new CrashDisk(), 3, SEGMENT_BYTES);
    log.adopt(List.of(batch(1, 10, 2, 5_000)));
    assertThatThrownBy(() -> log.adopt(List.of(batch(1, 11, 1, 5_000))))
        .isInstanceOf(IllegalArgumentException.class);
    List<ChangeBatch> falling = List.of(batch(1, 15, 1, 5_000), batch(1, 14, 1, 5_000));
    assertThatThrownBy(() -> log.adopt(falling)).isInstanceOf(IllegalArgumentException.class);
    log.adopt(List.of(batch(1, 12, 1, 5_000)));
    assertThat(log.committed(1)).isEqualTo(12);
  }
}
