package io.tunnel.server.replica.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.changes.Extents;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class AppendHistoryTest {

  private static final int P = 1;
  private static final int PLENTY = 64 << 20;

  private final FakeAppendLog log = new FakeAppendLog();
  private OldChanges changes = new OldChanges(log, P);
  private final List<Integer> woken = new ArrayList<>();
  private KnownLog known = KnownLog.NONE;
  private AppendHistory history;
  private FakeAppendLog.FakeTail tail;

  private void open(int readBytesMax, long heldBytesMax) {
    history =
        new AppendHistory(
            new AppendHistory.Limits(readBytesMax, heldBytesMax, 2), log, any -> known, woken::add);
    tail = log.lastTail();
    known = changes.known();
  }

  private Extents plan(long position) {
    return history.plan(P, position, changes.position(), PLENTY).orElseThrow();
  }

  /** The batches from a position on, after the shared log was read for them. */
  private Extents read(long position) {
    Extents planned = plan(position);
    if (planned.isAwaited()) {
      tail.run(3);
      planned = plan(position);
    }
    return planned;
  }

  private static Map<Long, Bytes> batches(Extents extents) {
    Map<Long, Bytes> batches = new TreeMap<>();
    for (ChangeBatch each : ((Extents.Held) extents).batches()) {
      batches.put(each.basePosition(), Bytes.copyOf(each.array(), each.offset(), each.byteCount()));
    }
    return batches;
  }

  private void assertRefused(long position, ErrorCode code, String message) {
    assertThatThrownBy(() -> read(position))
        .isInstanceOfSatisfying(RefusedException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(message);
  }

  @Test
  void a_channel_gets_nothing_and_is_woken_when_the_batches_are_in_memory() {
    changes.mark();
    changes.append(5, 10, 3, 2);
    changes.append(6, 10, 4);
    open(1 << 20, 1 << 20);
    assertThat(plan(1).isAwaited()).isTrue();
    assertThat(plan(1).isAwaited()).isTrue();
    assertThat(woken).isEmpty();
    tail.run(100);
    assertThat(woken).containsExactly(P);
    assertThat(batches(plan(1))).isEqualTo(changes.batches);
    assertThat(history.reads()).isEqualTo(1);
    assertThat(history.plan(P, 6, 6, PLENTY)).as("the local log has these").isEmpty();
  }

  @Test
  void a_position_inside_of_a_batch_gets_the_complete_batch() {
    changes.mark();
    changes.append(5, 10, 3, 4, 2);
    changes.append(6, 10, 4);
    open(1, 1 << 20);
    assertThat(batches(read(5))).isEqualTo(changes.batches.subMap(4L, 9L));
    assertThat(batches(plan(4))).as("of the same page").hasSize(2);
    assertThat(batches(plan(8))).containsOnlyKeys(8L);
    assertThat(history.reads()).isEqualTo(1);
    assertThat(history.plan(P, 4, 14, 1).orElseThrow().lastPosition()).isEqualTo(7);
  }

  @Test
  void a_page_that_follows_another_is_read_from_its_first_record_on() {
    changes.mark();
    for (int i = 0; i < 200; i++) {
      changes.append(i, 1_000, 1);
    }
    open(10_000, 1 << 20);
    long position = read(1).lastPosition() + 1;
    long before = tail.readBytes;
    read(position);
    assertThat(tail.readBytes - before).isLessThan(15_000);
  }

  @Test
  void what_is_trimmed_is_lost_at_the_position_that_the_trim_says() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    long offset = changes.lastOffset;
    changes.append(7, 10, 5);
    changes.trim(6, offset);
    open(1 << 20, 1 << 20);
    assertRefused(2, ErrorCode.HISTORY_LOST, "changes 2 to 5 of partition 1");
    assertThat(read(6).firstPosition()).as("not deleted yet").isEqualTo(6);
    log.trim(P, offset);
    assertRefused(5, ErrorCode.HISTORY_LOST, "changes 5 to 5 of partition 1");
    assertThat(tail.step(1)).as("nothing is read for a refusal").isFalse();
  }

  @Test
  void a_log_that_begins_later_than_the_node_knows_says_what_is_lost() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    log.trim(P, changes.lastOffset);
    open(1 << 20, 1 << 20);
    assertRefused(2, ErrorCode.HISTORY_LOST, "changes 2 to 5 of partition 1");
    assertThat(read(6).lastPosition()).isEqualTo(10);
    log.trim(P, log.end(P));
    history.keep(any -> false);
    assertRefused(7, ErrorCode.HISTORY_LOST, "changes 7 to 10 of partition 1");
  }

  @Test
  void a_log_that_begins_after_the_end_of_the_former_page_is_lost_up_to_its_first_record() {
    changes.mark();
    for (int i = 0; i < 4; i++) {
      changes.append(i, 10, 5);
    }
    open(1, 1 << 20);
    assertThat(read(1).lastPosition()).isEqualTo(5);
    log.trim(P, changes.lastOffset);
    changes.append(5, 10, 5);
    known = changes.known();
    assertRefused(6, ErrorCode.HISTORY_LOST, "changes 6 to 15 of partition 1");
    assertThat(read(16).lastPosition()).isEqualTo(20);
  }

  @Test
  void positions_before_those_of_a_restored_log_are_lost() {
    changes.mark();
    changes.begin(1_000);
    changes.append(5, 10, 5);
    open(1 << 20, 1 << 20);
    assertRefused(3, ErrorCode.HISTORY_LOST, "changes 3 to 999 of partition 1");
    assertThat(read(1_000).firstPosition()).isEqualTo(1_000);
  }

  @Test
  void epochs_that_the_node_has_forgotten_are_lost() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.mark();
    changes.append(5, 10, 5);
    changes.forget(3);
    open(1 << 20, 1 << 20);
    assertRefused(2, ErrorCode.HISTORY_LOST, "changes 2 to 5 of partition 1");
    assertThat(read(6).lastPosition()).isEqualTo(10);
  }

  @Test
  void a_node_that_has_not_read_so_far_refuses_and_says_nothing_of_a_loss() {
    changes.mark();
    changes.append(5, 10, 5);
    open(1 << 20, 1 << 20);
    known = KnownLog.NONE;
    assertRefused(1, ErrorCode.NOT_LEADER, "up to position 1");
  }

  @Test
  void a_record_of_a_newer_build_is_refused_after_the_batches_before() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    open(1, 1 << 20);
    log.holdBack(P, changes.lastOffset);
    assertThat(read(1).lastPosition()).isEqualTo(5);
    assertRefused(6, ErrorCode.NOT_LEADER, "record 2 of partition 1: a record of a newer build");
  }

  @Test
  void a_damaged_record_is_refused_as_such() {
    changes.mark();
    changes.append(5, 10, 5);
    open(1 << 20, 1 << 20);
    for (AppendTail.Stored each : log.records(P)) {
      if (each.header().changes() > 0) {
        each.value()[30]++;
      }
    }
    assertRefused(1, ErrorCode.CORRUPT, "record 1 of partition 1: a batch's checksum");
  }

  @Test
  void channels_of_a_log_that_lost_its_end_look_again() {
    changes.mark();
    for (int i = 0; i < 10; i++) {
      changes.append(i, 10, 1);
    }
    open(1 << 20, 1 << 20);
    assertThat(plan(9).isAwaited()).isTrue();
    log.cut(P, 1);
    tail.run(100);
    assertThat(woken).containsExactly(P);
    assertThat(history.heldBytes()).isZero();
    assertThat(plan(9).isAwaited()).isTrue();
  }

  /** The log loses all records, and gets others; the replica begins anew. */
  private void beginAnew() {
    log.cut(P, 0);
    changes = new OldChanges(log, P);
    changes.lane = 2;
    changes.mark();
    changes.mark();
    changes.append(50, 20, 3);
    changes.append(60, 20, 7);
    known = changes.known();
  }

  @Test
  void pages_of_a_replica_that_begins_anew_are_forgotten() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    open(1, 1 << 20);
    Map<Long, Bytes> lost = batches(read(1));
    read(6);
    beginAnew();
    assertThat(batches(read(1))).isNotEqualTo(lost).isEqualTo(changes.batches.headMap(4L));
    assertThat(batches(read(4))).isEqualTo(changes.batches.tailMap(4L));
    assertThat(history.reads()).isEqualTo(4);
  }

  @Test
  void the_end_of_a_page_of_a_former_replica_is_searched() {
    changes.mark();
    changes.append(5, 10, 3);
    changes.append(6, 10, 4);
    open(1, 1 << 20);
    assertThat(read(1).lastPosition()).as("the end is at the second record").isEqualTo(3);
    beginAnew();
    assertThat(read(4).firstPosition()).isEqualTo(4);
  }

  @Test
  void a_page_that_is_read_while_its_replica_begins_anew_says_nothing_of_a_loss() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    open(1 << 20, 1 << 20);
    assertThat(plan(1).isAwaited()).isTrue();
    beginAnew();
    tail.run(100);
    assertThat(woken).containsExactly(P);
    assertThat(batches(read(1))).isEqualTo(changes.batches);
    assertThat(history.reads()).isEqualTo(1);
  }

  @Test
  void a_page_that_begins_without_a_replica_is_abandoned() {
    changes.mark();
    changes.append(5, 10, 5);
    changes.append(6, 10, 5);
    open(1, 1 << 20);
    assertThat(plan(1).isAwaited()).isTrue();
    assertThat(plan(6).isAwaited()).as("waits for the first page").isTrue();
    known = KnownLog.NONE;
    tail.run(100);
    assertThat(history.reads()).isZero();
    known = changes.known();
    assertThat(batches(read(6))).isEqualTo(changes.batches.tailMap(6L));
  }

  @Test
  void channels_of_a_partition_that_is_served_elsewhere_are_woken_and_cost_nothing() {
    changes.mark();
    changes.append(5, 10, 5);
    open(1 << 20, 1 << 20);
    assertThat(plan(1).isAwaited()).isTrue();
    history.keep(partition -> partition != P);
    assertThat(woken).containsExactly(P);
    assertThat(tail.step(100)).isFalse();
    read(1);
    assertThat(history.heldBytes()).isPositive();
    history.keep(partition -> partition != P);
    assertThat(history.heldBytes()).isZero();
  }

  @Test
  void the_end_of_a_page_that_was_evicted_is_not_searched() {
    changes.mark();
    for (int i = 0; i < 200; i++) {
      changes.append(i, 1_000, 1);
    }
    // One page is held, of two readers.
    open(10_000, 1);
    long first = read(1).lastPosition() + 1;
    long second = read(100).lastPosition() + 1;
    long before = tail.readBytes;
    first = read(first).lastPosition() + 1;
    second = read(second).lastPosition() + 1;
    assertThat(tail.readBytes - before).isLessThan(2 * 15_000);
    history.keep(any -> false);
    before = tail.readBytes;
    read(first);
    assertThat(tail.readBytes - before).as("a search").isGreaterThan(20_000);
    assertThat(second).isGreaterThan(first);
  }

  /** Records of 10 MiB with rows of 4 MiB, and records of a single small row. */
  @Test
  void pages_of_the_largest_records_stay_within_their_bytes() {
    long recordBytes = 10L << 20;
    long heldBytesMax = 20L << 20;
    int readBytesMax = 1 << 20;
    changes.mark();
    for (int i = 0; i < 6; i++) {
      changes.append(i, 4_190_000, 1, 1);
      changes.append(i, 3_400_000, 1, 1, 1);
      changes.append(i, 10, 1, 1, 1);
    }
    open(readBytesMax, heldBytesMax);
    for (long position = 1; position < changes.position(); ) {
      assertThat(plan(position).isAwaited()).isTrue();
      while (tail.step(1)) {
        assertThat(history.heldBytes())
            .isLessThanOrEqualTo(heldBytesMax + 2 * (readBytesMax + recordBytes));
      }
      assertThat(history.heldBytes()).isLessThanOrEqualTo(heldBytesMax);
      position = plan(position).lastPosition() + 1;
    }
    history.keep(any -> false);
    read(5);
    assertThat(history.heldBytes()).as("the whole record, for its end").isGreaterThan(10_200_000);
  }

  /** Everything that counts is delivered once, byte for byte, from any position on. */
  @Test
  void channels_read_any_log_from_any_position() {
    for (long seed = 1; seed <= 150; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      AppendHistoryTest world = new AppendHistoryTest();
      world.fill(random);
      world.open(1 + random.nextInt(3_000), 3_000 + random.nextInt(30_000));
      for (int i = 0; i < 5; i++) {
        world.readToTheEnd(random, 1 + random.nextLong(world.changes.position() - 1), seed);
      }
    }
  }

  private void fill(SplittableRandom random) {
    changes.mark();
    changes.append(0, 10, 1);
    for (int step = random.nextInt(120); step > 0; step--) {
      switch (random.nextInt(10)) {
        case 0 -> changes.mark();
        case 1 -> changes.appendFenced(step, 1 + random.nextInt(3));
        case 2 -> log.append(P, changes.headerOfNobody(), new byte[0], unused -> {});
        case 3 -> changes.append(step, 10);
        default ->
            changes.append(step, random.nextInt(400), 1 + random.nextInt(3), 1 + random.nextInt(3));
      }
    }
  }

  private void readToTheEnd(SplittableRandom random, long from, long seed) {
    Map<Long, Bytes> delivered = new TreeMap<>();
    long position = from;
    while (position < changes.position()) {
      Extents planned = plan(position);
      while (planned.isAwaited()) {
        assertThat(tail.step(1 + random.nextInt(4))).as("seed %d", seed).isTrue();
        planned = plan(position);
      }
      assertThat(planned.firstPosition()).as("seed %d", seed).isLessThanOrEqualTo(position);
      delivered.putAll(batches(planned));
      position = planned.lastPosition() + 1;
    }
    assertThat(delivered)
        .as("seed %d, from %d", seed, from)
        .isEqualTo(changes.batches.tailMap(changes.batches.floorKey(from), true));
  }
}
