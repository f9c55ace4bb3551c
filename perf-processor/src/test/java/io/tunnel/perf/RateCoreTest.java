package io.tunnel.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RateCoreTest {

  private static final long SECOND = 1_000_000_000L;

  private static RateCore.Totals totals(long rows, long bytes) {
    return new RateCore.Totals(rows, bytes, Map.of("c", rows));
  }

  private static RateCore.Usage cpu(double seconds) {
    return new RateCore.Usage((long) (seconds * SECOND));
  }

  /**
   * The sample that this tool replaces began its first interval in 1970, divided by whole seconds,
   * and divided by zero in a short one.
   */
  @Test
  void the_first_interval_starts_with_the_run() {
    long start = 1_700_000_000L * SECOND;
    RateCore core = new RateCore(start, cpu(0));
    RateCore.Rates rates = core.sinceLast(start + 5 * SECOND, totals(500, 5_000), cpu(0));
    assertThat(rates.rowsPerSecond()).isEqualTo(100);
    assertThat(rates.bytesPerSecond()).isEqualTo(1_000);
    assertThat(rates.seconds()).isEqualTo(5);
  }

  @Test
  void fractions_of_a_second_count() {
    RateCore core = new RateCore(0, cpu(0));
    assertThat(core.sinceLast(5_900_000_000L, totals(590, 0), cpu(0)).rowsPerSecond())
        .isEqualTo(100);
    assertThat(core.sinceLast(5_900_000_000L + 300_000_000, totals(620, 0), cpu(0)).rowsPerSecond())
        .isCloseTo(100, within(1e-9));
  }

  @Test
  void an_interval_of_no_time_has_no_rate_and_its_rows_belong_to_the_next() {
    RateCore core = new RateCore(7, cpu(0));
    assertThat(core.sinceLast(7, totals(10, 0), cpu(0))).isEqualTo(RateCore.Rates.NONE);
    RateCore.Rates next = core.sinceLast(7 + SECOND, totals(10, 0), cpu(0));
    assertThat(next.rows()).isEqualTo(10);
    assertThat(next.rowsPerSecond()).isEqualTo(10);
  }

  @Test
  void an_interval_without_rows_has_the_rate_0_and_no_cost_per_row() {
    RateCore core = new RateCore(0, cpu(1));
    RateCore.Rates rates = core.sinceLast(2 * SECOND, totals(0, 0), cpu(2));
    assertThat(rates.rowsPerSecond()).isZero();
    assertThat(rates.cpuSecondsPerMillionRows()).isZero();
    assertThat(rates.coresUsed()).isEqualTo(0.5);
  }

  @Test
  void cpu_is_counted_from_the_start_of_the_run_not_of_the_process() {
    RateCore core = new RateCore(0, cpu(10));
    RateCore.Rates first = core.sinceLast(2 * SECOND, totals(2_000_000, 0), cpu(13));
    assertThat(first.coresUsed()).isEqualTo(1.5);
    assertThat(first.cpuSecondsPerMillionRows()).isEqualTo(1.5);
    RateCore.Rates second = core.sinceLast(4 * SECOND, totals(2_500_000, 0), cpu(14));
    assertThat(second.cpuSecondsPerMillionRows()).isEqualTo(2);
    RateCore.Rates all = core.sinceStart(4 * SECOND, totals(2_500_000, 0), cpu(14));
    assertThat(all.coresUsed()).isEqualTo(1);
    assertThat(all.cpuSecondsPerMillionRows()).isCloseTo(1.6, within(1e-9));
  }

  @Test
  void channels_have_rates_of_their_own_from_their_first_row() {
    RateCore core = new RateCore(0, cpu(0));
    core.sinceLast(SECOND, new RateCore.Totals(10, 0, Map.of("a", 10L)), cpu(0));
    RateCore.Rates rates =
        core.sinceLast(3 * SECOND, new RateCore.Totals(50, 0, Map.of("a", 20L, "b", 30L)), cpu(0));
    assertThat(rates.rowsPerSecondByChannel()).isEqualTo(Map.of("a", 5.0, "b", 15.0));
  }

  @Test
  void whatever_the_intervals_no_row_is_lost_or_counted_twice() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      RateCore core = new RateCore(-5, cpu(0));
      long now = -5;
      long rows = 0;
      long counted = 0;
      for (int i = 0; i < 50; i++) {
        now += random.nextInt(4) == 0 ? 0 : random.nextInt(1_000_000_000);
        rows += random.nextInt(1_000);
        counted += core.sinceLast(now, totals(rows, 0), cpu(0)).rows();
      }
      counted += core.sinceLast(now + 1, totals(rows, 0), cpu(0)).rows();
      assertThat(counted).as("seed %d", seed).isEqualTo(rows);
    }
  }
}
