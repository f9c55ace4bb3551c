package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.keyBytes;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.model.RowChange;
import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.table.BesideRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The test is the shard's thread. */
final class FoldQueueTest {

  private static final int FOLD_BATCHES_MAX = 10;

  private final HeldRows rows = new HeldRows();
  private final AtomicInteger timed = new AtomicInteger();
  private final CountDownLatch isWoken = new CountDownLatch(1);
  private final FoldQueue folds = queue(TimeUnit.MILLISECONDS.toNanos(1));

  private FoldQueue queue(long lingerNanos) {
    return new FoldQueue(
        "fold-test",
        rows,
        new FoldQueue.Together(
            FOLD_BATCHES_MAX * BYTES, 10L * FOLD_BATCHES_MAX * BYTES, lingerNanos),
        new FoldQueue.Timing() {
          @Override
          public long nanos() {
            return 0;
          }

          @Override
          public void folded(long foldNanos) {
            timed.incrementAndGet();
          }
        },
        isWoken::countDown);
  }

  @AfterEach
  void stop() {
    rows.letGo();
    folds.stop();
  }

  private static final ChangeBatch BATCH = batch(1, put("k"));

  /** Held of {@link #BATCH}. */
  private static final int BYTES = BATCH.array().length + 128;

  private static void add(FoldQueue to, long end, int batches) {
    to.add(Collections.nCopies(batches, BATCH), end, BesideRows.NONE);
  }

  private void add(long end, int batches) {
    add(folds, end, batches);
  }

  @Test
  void groups_that_wait_are_folded_together_up_to_a_limit() throws Exception {
    add(1, 6);
    add(2, 4);
    add(3, 1);
    add(4, 50);
    add(5, 1);
    assertThat(folds.bytes()).isEqualTo(62L * BYTES);
    folds.finish();
    assertThat(rows.ends()).containsExactly(2L, 3L, 3L, 3L, 3L, 3L, 5L);
    assertThat(timed).hasValue(7);
    assertThat(folds.isEmpty()).isTrue();
    assertThat(folds.foldNext()).isFalse();
  }

  @Test
  void callers_that_look_at_the_rows_fold_what_was_added_of_their_partition() {
    add(1, 9);
    folds.add(List.of(batch(2, put("other"))), 2, BesideRows.NONE);
    add(3, 9);
    folds.foldAdded(2);
    assertThat(rows.has(keyBytes("other"))).isTrue();
    assertThat(rows.has(keyBytes("k"))).isFalse();
    assertThat(rows.ends()).containsExactly(0L);
    folds.foldAdded(1);
    assertThat(rows.ends()).containsExactly(0L, 2L, 3L);
    rows.refuse(HeldRows.full());
    add(4, 9);
    folds.foldAdded(1);
    assertThat(folds.hasFailed()).isTrue();
    assertThat(isWoken.getCount()).as("the shard's thread hears of it").isZero();
  }

  @Test
  void a_slice_of_one_partition_comes_between_two_of_another() {
    rows.slice(1);
    List<RowChange> many = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      many.add(put("k" + i));
    }
    folds.add(List.of(batch(1, many)), 1, BesideRows.NONE);
    folds.add(List.of(batch(2, put("a"))), 2, BesideRows.NONE);
    assertThat(folds.foldNext()).isTrue();
    assertThat(folds.foldNext(2)).isTrue();
    assertThat(folds.isFolded(2)).isTrue();
    assertThat(rows.keys(1)).hasSize(1);
    for (int slices = 1; slices < 100; slices++) {
      assertThat(folds.isFolded(1)).isFalse();
      assertThat(folds.foldNext()).isTrue();
    }
    assertThat(rows.ends()).containsExactly(0L, 2L);
    assertThat(folds.isEmpty()).isTrue();
  }

  @Test
  void no_more_waits_than_may() {
    for (int end = 1; end <= 12; end++) {
      add(end, FOLD_BATCHES_MAX);
    }
    while (folds.isFull()) {
      assertThat(folds.foldNext()).isTrue();
    }
    assertThat(rows.ends()).containsExactly(1L, 2L);
  }

  @Test
  void the_queues_thread_lets_groups_gather_and_nobody_else_waits_for_that() throws Exception {
    FoldQueue patient = queue(TimeUnit.DAYS.toNanos(1));
    try {
      patient.start();
      for (int end = 1; end <= 10; end++) {
        add(patient, end, FOLD_BATCHES_MAX / 10);
      }
      ShardWaits.until(patient::isEmpty);
      assertThat(rows.ends()).containsExactly(10L);
      add(patient, 11, 1);
      patient.finish();
      assertThat(rows.ends()).containsExactly(10L, 11L);
    } finally {
      patient.stop();
    }
  }

  @Test
  void what_finds_no_room_stays_in_front_and_is_tried_again() throws Exception {
    add(1, 9);
    add(2, 9);
    rows.refuse(HeldRows.full());
    assertThat(folds.foldNext()).isFalse();
    assertThat(folds.hasFailed()).isTrue();
    assertThat(folds.foldNext()).isFalse();
    assertThatThrownBy(folds::finish).isInstanceOf(DiskFullException.class);
    assertThat(folds.bytes()).isEqualTo(18L * BYTES);
    rows.refuse(null);
    folds.finish();
    assertThat(rows.ends()).containsExactly(1L, 2L);
    assertThat(folds.hasFailed()).isFalse();
  }

  @Test
  void nothing_is_folded_behind_any_other_failure() {
    folds.start();
    rows.refuse(new IOException("injected"));
    add(1, 9);
    assertThatThrownBy(folds::finish).isInstanceOf(IOException.class).hasMessage("injected");
    rows.refuse(null);
    add(2, 9);
    assertThatThrownBy(folds::finish).isInstanceOf(IOException.class).hasMessage("injected");
    assertThat(rows.ends()).isEmpty();
    assertThat(folds.bytes()).isEqualTo(18L * BYTES);
  }

  @Test
  void the_shards_thread_is_woken_when_the_queues_own_meets_a_failure() throws Exception {
    folds.start();
    rows.refuse(HeldRows.full());
    add(1, 1);
    assertThat(isWoken.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(folds.hasFailed()).isTrue();
  }

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  /** Both threads fold; {@link HeldRows} fails when they do at once. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void groups_are_folded_in_their_order_by_whatever_thread(long seed) throws Exception {
    Random random = new Random(seed);
    folds.start();
    long end = 0;
    for (int i = 0; i < 3_000; i++) {
      end += 1 + random.nextInt(3);
      add(end, 1 + random.nextInt(12));
      int next = random.nextInt(100);
      if (next < 5) {
        rows.refuse(next == 0 ? HeldRows.full() : null);
      } else if (next < 20) {
        var unused = folds.foldNext();
      } else if (next < 25) {
        rows.refuse(null);
        folds.finish();
        assertThat(rows.ends()).last().isEqualTo(end);
        assertThat(folds.isEmpty()).isTrue();
      }
    }
    rows.refuse(null);
    folds.finish();
    List<Long> ends = rows.ends();
    assertThat(ends).isSorted().last().isEqualTo(end);
  }
}
