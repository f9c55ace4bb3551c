package io.tunnel.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tunnel.terminal.ProgressCore.Reading;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressCoreTest {

  private static final long SECOND = 1_000_000_000L;

  @Test
  void steady_work_has_its_rate_and_its_time_left() {
    ProgressCore core = new ProgressCore(OptionalLong.of(1_000), 7 * SECOND);
    core.observe(8 * SECOND, 100);
    Reading at = core.observe(9 * SECOND, 200);

    assertThat(at.perSecond()).isCloseTo(100, within(1e-6));
    assertThat(at.overallPerSecond()).isCloseTo(100, within(1e-6));
    assertThat(at.percent()).hasValue(20);
    assertThat(at.elapsedMs()).isEqualTo(2_000);
    assertThat(at.etaMs()).hasValue(8_000);
  }

  @Test
  void the_rate_forgets_how_fast_it_once_was() {
    ProgressCore core = new ProgressCore(OptionalLong.of(1_000_000), 0);
    core.observe(SECOND, 100_000);
    Reading at = null;
    for (int second = 2; second <= 62; second++) {
      at = core.observe(second * SECOND, 100_000 + (second - 1) * 100L);
    }
    assertThat(at.perSecond()).isBetween(100.0, 400.0);
    assertThat(at.overallPerSecond()).isGreaterThan(1_500);
  }

  @Test
  void the_first_observation_at_the_start_divides_by_nothing() {
    Reading at = new ProgressCore(OptionalLong.of(10), 5).observe(5, 3);
    assertThat(at.perSecond()).isZero();
    assertThat(at.overallPerSecond()).isZero();
    assertThat(at.etaMs()).isEmpty();
  }

  @Test
  void without_a_total_there_is_no_percentage_and_no_time_left() {
    Reading at = new ProgressCore(OptionalLong.empty(), 0).observe(SECOND, 3);
    assertThat(at.percent()).isEmpty();
    assertThat(at.etaMs()).isEmpty();
  }

  @Test
  void more_than_the_total_is_a_hundred_percent_and_no_time_left() {
    Reading at = new ProgressCore(OptionalLong.of(10), 0).observe(SECOND, 11);
    assertThat(at.percent()).hasValue(100);
    assertThat(at.etaMs()).hasValue(0);
    assertThat(new ProgressCore(OptionalLong.of(0), 0).observe(1, 0).percent()).hasValue(100);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void the_rate_always_lies_between_the_slowest_and_the_fastest_step(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    ProgressCore core = new ProgressCore(OptionalLong.of(Long.MAX_VALUE), 0);
    double slowest = Double.MAX_VALUE;
    double fastest = 0;
    long now = 0;
    long done = 0;
    for (int i = 0; i < 500; i++) {
      long nanos = random.nextLong(1, 3 * SECOND);
      long more = random.nextLong(0, 1_000_000);
      now += nanos;
      done += more;
      slowest = Math.min(slowest, more * 1e9 / nanos);
      fastest = Math.max(fastest, more * 1e9 / nanos);
      Reading at = core.observe(now, done);
      // A hair's breadth for rounding.
      double low = slowest * (1 - 1e-9);
      double high = fastest * (1 + 1e-9);
      assertThat(at.perSecond()).as("seed %d", seed).isBetween(low, high);
      assertThat(at.overallPerSecond()).as("seed %d", seed).isBetween(low, high);
      assertThat(at.percent().getAsLong()).isBetween(0L, 100L);
    }
  }
}
