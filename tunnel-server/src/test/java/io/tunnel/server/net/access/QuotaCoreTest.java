package io.tunnel.server.net.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuotaCoreTest {

  private static final long SECOND = 1_000_000_000;

  /** Something that passed, and when. */
  private record Passed(long atNanos, long amount) {}

  static LongStream seeds() {
    return LongStream.range(0, 200);
  }

  @Test
  void the_burst_of_a_second_passes_at_once_and_what_is_beyond_it_at_the_rate() {
    QuotaCore quota = new QuotaCore(1_000, 0);
    assertThat(quota.take(1_000, 0)).isZero();
    assertThat(quota.take(1, 0)).isEqualTo(1_000_000);
    assertThat(quota.take(499, 0)).isEqualTo(SECOND / 2);
    assertThat(quota.take(0, 0)).isEqualTo(SECOND / 2);
    assertThat(quota.delayNanos(SECOND / 4)).isEqualTo(SECOND / 4);
    assertThat(quota.take(0, SECOND / 2)).isZero();
    assertThat(quota.take(1, SECOND / 2)).isEqualTo(1_000_000);
  }

  @Test
  void one_that_is_larger_than_the_burst_goes_into_debt() {
    QuotaCore quota = new QuotaCore(10, 0);
    assertThat(quota.take(100, 0)).isEqualTo(9 * SECOND);
    assertThat(quota.take(1, 9 * SECOND)).isEqualTo(SECOND / 10);
  }

  @Test
  void rest_saves_no_more_than_the_burst() {
    QuotaCore quota = new QuotaCore(10, 0);
    assertThat(quota.take(10, 1_000 * SECOND)).isZero();
    assertThat(quota.take(10, 1_000 * SECOND)).isEqualTo(SECOND);
  }

  @Test
  void parts_of_a_nanosecond_are_not_lost() {
    QuotaCore quota = new QuotaCore(3, 0);
    assertThat(quota.take(3, 0)).isZero();
    assertThat(quota.take(1, 0)).isEqualTo(333_333_334);
    assertThat(quota.take(1, 0)).isEqualTo(666_666_667);
    assertThat(quota.take(1, 0)).isEqualTo(SECOND);
    QuotaCore fast = new QuotaCore(QuotaCore.RATE_MAX, 0);
    long delay = 0;
    for (int i = 0; i < 1_000_000; i++) {
      delay = fast.take(QuotaCore.RATE_MAX / 1_000_000 + 1, 0);
    }
    assertThat(delay).isEqualTo(111_112);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, Long.MAX_VALUE - SECOND, Long.MIN_VALUE, -1})
  void the_clock_may_begin_anywhere_and_amounts_may_be_any(long start) {
    for (long rate : new long[] {1, 7, QuotaCore.RATE_MAX}) {
      QuotaCore quota = new QuotaCore(rate, start);
      for (int i = 0; i < 5; i++) {
        long delay = quota.take(Long.MAX_VALUE, start + i);
        assertThat(delay).isGreaterThan(1_000 * SECOND - SECOND);
        assertThat(delay).isLessThanOrEqualTo(Long.MAX_VALUE / 2);
      }
    }
    QuotaCore quota = new QuotaCore(10, start);
    assertThat(quota.take(20, start)).isEqualTo(SECOND);
    assertThat(quota.take(10, start + 2 * SECOND)).isZero();
  }

  @Test
  void a_rate_may_change_and_what_was_told_stays() {
    QuotaCore quota = new QuotaCore(10, 0);
    assertThat(quota.take(20, 0)).isEqualTo(SECOND);
    quota.change(1_000);
    assertThat(quota.delayNanos(0)).isEqualTo(SECOND);
    assertThat(quota.take(1_000, SECOND)).isEqualTo(SECOND);
  }

  @Test
  void rates_and_amounts_that_nobody_means_are_refused() {
    assertThatThrownBy(() -> new QuotaCore(0, 0))
        .hasMessage("a rate is 1 to 9000000000 a second, not 0");
    assertThatThrownBy(() -> new QuotaCore(QuotaCore.RATE_MAX + 1, 0))
        .hasMessageContaining("not 9000000001");
    assertThatThrownBy(() -> new QuotaCore(1, 0).take(-1, 0)).hasMessage("nobody takes -1");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void in_any_interval_there_passes_at_most_the_rate_and_one_burst(long seed) {
    Random random = new Random(seed);
    long rate = (long) Math.pow(10, random.nextDouble() * 9.9);
    long now = random.nextLong() / 4;
    QuotaCore quota = new QuotaCore(rate, now);
    List<Passed> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      long amount = (long) (rate * Math.pow(random.nextDouble(), 4) * 2);
      long passes = now + quota.take(amount, now);
      all.add(new Passed(passes, amount));
      boolean isPatient = random.nextInt(3) > 0;
      now = isPatient ? Math.max(now, passes) : now;
      now += (long) (SECOND * Math.pow(random.nextDouble(), 6) * 3);
    }
    for (int first = 0; first < all.size(); first++) {
      BigInteger sum = BigInteger.ZERO;
      for (int last = first; last < all.size(); last++) {
        sum = sum.add(BigInteger.valueOf(all.get(last).amount()));
        long nanos = all.get(last).atNanos() - all.get(first).atNanos();
        // Delays are whole nanoseconds, so the first may pass up to one later than it could.
        BigInteger most =
            BigInteger.valueOf(nanos + 1)
                .multiply(BigInteger.valueOf(rate))
                .add(
                    BigInteger.valueOf(Math.max(rate, all.get(first).amount()))
                        .multiply(BigInteger.valueOf(SECOND)));
        assertThat(sum.multiply(BigInteger.valueOf(SECOND)))
            .as("seed %d, %d to %d", seed, first, last)
            .isLessThanOrEqualTo(most);
      }
    }
  }
}
