package io.tunnel.server.partition;

import static io.tunnel.server.TestRows.batch;
import static io.tunnel.server.TestRows.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.disk.DiskFullException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
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

  private static final int FOLD_BYTES_MAX = 100;

  private final HeldRows rows = new HeldRows();
  private final AtomicInteger timed = new AtomicInteger();
  private final CountDownLatch isWoken = new CountDownLatch(1);
  private final FoldQueue folds = queue(TimeUnit.MILLISECONDS.toNanos(1));

  private FoldQueue queue(long lingerNanos) {
    return new FoldQueue(
        "fold-test",
        rows,
        new FoldQueue.Together(FOLD_BYTES_MAX, 10 * FOLD_BYTES_MAX, lingerNanos),
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

  private static FoldQueue.Group group(long end, long bytes) {
    return new FoldQueue.Group(List.of(batch(1, put("k" + end))), end, bytes, Map.of());
  }

  @Test
  void groupsThatWaitAreFoldedTogetherUpToALimitAndALargeOneAlone() throws Exception {
    folds.add(group(1, 60));
    folds.add(group(2, 40));
    folds.add(group(3, 1));
    folds.add(group(4, 500));
    folds.add(group(5, 1));
    assertThat(folds.bytes()).isEqualTo(602);
    folds.finish();
    assertThat(rows.ends()).containsExactly(2L, 3L, 4L, 5L);
    assertThat(timed).hasValue(4);
    assertThat(folds.isEmpty()).isTrue();
    assertThat(folds.foldNext()).isFalse();
  }

  @Test
  void whoLooksAtTheRowsFoldsWhatWasAddedBefore() {
    folds.add(group(1, 90));
    folds.add(group(2, 90));
    folds.foldAdded();
    assertThat(rows.ends()).containsExactly(1L, 2L);
    rows.refuse(HeldRows.full());
    folds.add(group(3, 90));
    folds.foldAdded();
    assertThat(folds.hasFailed()).isTrue();
    assertThat(isWoken.getCount()).as("the shard's thread hears of it").isZero();
  }

  @Test
  void noMoreWaitsThanMay() {
    for (int end = 1; end <= 12; end++) {
      folds.add(group(end, FOLD_BYTES_MAX));
    }
    folds.foldBeyondBound();
    assertThat(rows.ends()).containsExactly(1L, 2L);
  }

  @Test
  void theQueuesThreadLetsGroupsGatherAndNobodyElseWaitsForThat() throws Exception {
    FoldQueue patient = queue(TimeUnit.DAYS.toNanos(1));
    try {
      patient.start();
      for (int end = 1; end <= 10; end++) {
        patient.add(group(end, FOLD_BYTES_MAX / 10));
      }
      ShardWaits.until(patient::isEmpty);
      assertThat(rows.ends()).containsExactly(10L);
      patient.add(group(11, 1));
      patient.finish();
      assertThat(rows.ends()).containsExactly(10L, 11L);
    } finally {
      patient.stop();
    }
  }

  @Test
  void whatFindsNoRoomStaysInFrontAndIsTriedAgain() throws Exception {
    folds.add(group(1, 90));
    folds.add(group(2, 90));
    rows.refuse(HeldRows.full());
    assertThat(folds.foldNext()).isFalse();
    assertThat(folds.hasFailed()).isTrue();
    assertThat(folds.foldNext()).isFalse();
    assertThatThrownBy(folds::finish).isInstanceOf(DiskFullException.class);
    assertThat(folds.bytes()).isEqualTo(180);
    rows.refuse(null);
    folds.finish();
    assertThat(rows.ends()).containsExactly(1L, 2L);
    assertThat(folds.hasFailed()).isFalse();
  }

  @Test
  void nothingIsFoldedBehindAnyOtherFailure() {
    folds.start();
    rows.refuse(new IOException("injected"));
    folds.add(group(1, 90));
    assertThatThrownBy(folds::finish).isInstanceOf(IOException.class).hasMessage("injected");
    rows.refuse(null);
    folds.add(group(2, 90));
    assertThatThrownBy(folds::finish).isInstanceOf(IOException.class).hasMessage("injected");
    assertThat(rows.ends()).isEmpty();
    assertThat(folds.bytes()).isEqualTo(180);
  }

  @Test
  void theShardsThreadIsWokenWhenTheQueuesOwnMeetsAFailure() throws Exception {
    folds.start();
    rows.refuse(HeldRows.full());
    folds.add(group(1, 10));
    assertThat(isWoken.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(folds.hasFailed()).isTrue();
  }

  static LongStream seeds() {
    return LongStream.range(0, 20);
  }

  /** Both threads fold; {@link HeldRows} fails when they do at once. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void groupsAreFoldedInTheirOrderByWhateverThread(long seed) throws Exception {
    Random random = new Random(seed);
    folds.start();
    long end = 0;
    for (int i = 0; i < 3_000; i++) {
      end += 1 + random.nextInt(3);
      folds.add(group(end, 1 + random.nextInt(120)));
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
    assertThat(ends).isSorted().doesNotHaveDuplicates().last().isEqualTo(end);
  }
}
