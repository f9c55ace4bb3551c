package io.tunnel.server.channel.ration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.channel.ration.WaitCore.Verdict;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RationCoreTest {

  private static final long SECOND = 1_000_000_000;
  private static final long LEAST = 1_000;

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @Test
  void nobody_waits_before_anything_was_written_or_when_nobody_writes() {
    RationCore core = new RationCore(LEAST, 0);
    assertThat(core.leftNanos(core.take(Integer.MAX_VALUE, 0), 0)).isZero();
    core.adapt(Verdict.LONG, 0, 1, 0);
    assertThat(core.leftNanos(core.take(LEAST, 0), 0)).isEqualTo(SECOND);
    core.adapt(Verdict.NO_WRITES, 0, 1, 0);
    assertThat(core.leftNanos(core.take(Integer.MAX_VALUE, 0), 0)).isZero();
  }

  @Test
  void what_is_too_much_is_halved_and_never_below_the_least() {
    RationCore core = new RationCore(LEAST, 0);
    core.adapt(Verdict.LONG, 100_000, 1, 0);
    assertThat(core.perSecond()).isEqualTo(50_000);
    core.adapt(Verdict.LONG, 3_000, 1, 0);
    assertThat(core.perSecond()).as("half of what was used").isEqualTo(1_500);
    core.adapt(Verdict.LONG, 1_500, 1, 0);
    assertThat(core.perSecond()).isEqualTo(LEAST);
    assertThat(core.isLeast(0)).isTrue();
  }

  @Test
  void it_grows_fast_far_below_what_was_too_much_and_slowly_near_it() {
    RationCore core = new RationCore(LEAST, 0);
    core.adapt(Verdict.LONG, 64_000, 1, 0);
    core.adapt(Verdict.SHORT, 32_000, 1, 0);
    assertThat(core.perSecond()).isEqualTo(36_000);
    core.adapt(Verdict.SHORT, 36_000, 3, 0);
    assertThat(core.perSecond()).isEqualTo(51_257);
    core.adapt(Verdict.SHORT, 51_257, 1, 0);
    assertThat(core.perSecond()).isEqualTo(51_257 + 51_257 / 64);
    core.adapt(Verdict.SHORT, 20_000, 1, 0);
    assertThat(core.perSecond()).as("not used").isEqualTo(51_257 + 51_257 / 64);
    core.adapt(Verdict.SHORT, 80_001, 1, 0);
    assertThat(core.perSecond()).as("more was used beside it").isEqualTo(80_001 + 80_001 / 8);
  }

  @Test
  void a_backlog_that_is_drained_beside_writes_begins_at_the_least() {
    RationCore core = new RationCore(LEAST, 0);
    core.adapt(Verdict.LONG, 1_000_000, 1, 0);
    core.rest(0);
    assertThat(core.isLeast(0)).isTrue();
    core.adapt(Verdict.SHORT, LEAST, 1_000, 0);
    assertThat(core.perSecond()).as("doubled at most").isBetween(2 * LEAST, 2 * LEAST + 100);
  }

  @Test
  void turns_come_in_the_order_in_which_bytes_were_taken_whatever_becomes_of_the_rate() {
    RationCore core = new RationCore(LEAST, 0);
    core.rest(0);
    long first = core.take(100, 0);
    long second = core.take(300, 0);
    assertThat(core.leftNanos(first, 0)).isEqualTo(SECOND / 10);
    assertThat(core.leftNanos(second, 0)).isEqualTo(4 * SECOND / 10);
    assertThat(core.leftNanos(second, SECOND / 10)).isEqualTo(3 * SECOND / 10);
    core.adapt(Verdict.SHORT, LEAST, 6, SECOND / 10);
    assertThat(core.leftNanos(second, SECOND / 10)).isLessThan(2 * SECOND / 10);
    core.adapt(Verdict.NO_WRITES, 0, 1, SECOND / 10);
    assertThat(core.leftNanos(second, SECOND / 10)).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - SECOND, Long.MIN_VALUE, -1})
  void the_clock_may_begin_anywhere_and_go_back(long start) {
    RationCore core = new RationCore(LEAST, start);
    core.adapt(Verdict.LONG, 0, 1, start);
    long paidAt = core.take(2 * LEAST, start);
    assertThat(core.leftNanos(paidAt, start)).as("a second is owed at most").isEqualTo(SECOND);
    assertThat(core.leftNanos(paidAt, start - SECOND)).isEqualTo(SECOND);
    assertThat(core.leftNanos(paidAt, start + 2 * SECOND)).isZero();
  }

  /** Some channels deliver as they are told to, while the rate goes up and down. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void no_more_passes_than_the_rate_and_a_delivery_of_each_and_everybody_has_turns(long seed) {
    Random random = new Random(seed);
    long now = random.nextLong() / 4;
    RationCore core = new RationCore(LEAST, now);
    core.adapt(Verdict.LONG, 0, 1, now);
    Deque<Long> waiting = new ArrayDeque<>();
    int channels = 1 + random.nextInt(8);
    for (int i = 0; i < channels; i++) {
      waiting.add(core.take(1 + random.nextInt(100), now));
    }
    double allowed = 0;
    long passed = 0;
    for (int i = 0; i < 2_000; i++) {
      long next = (long) (SECOND * Math.pow(random.nextDouble(), 4) / 10);
      allowed += (double) core.perSecond() * next / SECOND;
      now += next;
      // The one that took first is never told to wait longer than another.
      long firstLeft = core.leftNanos(waiting.peekFirst(), now);
      assertThat(firstLeft).isLessThanOrEqualTo(core.leftNanos(waiting.peekLast(), now));
      assertThat(core.leftNanos(waiting.peekLast(), now)).isLessThanOrEqualTo(SECOND + 1);
      while (core.leftNanos(waiting.peekFirst(), now) == 0) {
        int bytes = 1 + random.nextInt(100);
        waiting.removeFirst();
        waiting.addLast(core.take(bytes, now));
        passed += bytes;
      }
      if (random.nextInt(4) == 0) {
        Verdict verdict = random.nextInt(5) == 0 ? Verdict.LONG : Verdict.SHORT;
        core.adapt(verdict, random.nextInt(3) * core.perSecond() / 2, 1 + random.nextInt(3), now);
      }
      assertThat(core.perSecond()).isBetween(LEAST, RationCore.UNLIMITED);
      assertThat((double) passed).isLessThanOrEqualTo(allowed + 100.0 * channels);
    }
    assertThat(passed).as("the least comes through").isGreaterThan(0);
  }
}
