package io.tunnel.programs.bench.seeds.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RatesTest {

  private static long ms(long ms) {
    return TimeUnit.MILLISECONDS.toNanos(ms);
  }

  private static void answers(Rates rates, int count, long atMs, long tookMs) {
    for (int i = 0; i < count; i++) {
      rates.answered(ms(atMs - tookMs), ms(atMs));
    }
  }

  @Test
  void the_recent_figures_are_medians_of_the_whole_seconds() {
    Rates rates = new Rates(ms(1_000));
    answers(rates, 10, 1_500, 100);
    answers(rates, 30, 2_500, 20);
    answers(rates, 20, 3_500, 40);
    answers(rates, 5, 4_100, 1);
    Map<String, Double> figures = rates.figures("main", ms(4_250));
    assertThat(figures.get("mainCount")).isEqualTo(65);
    assertThat(figures.get("mainPerSecond")).isEqualTo(65 / 3.25, within(1e-9));
    assertThat(figures.get("mainRecentPerSecond")).as("10, 30, 20").isEqualTo(20);
    assertThat(figures.get("mainRecent")).as("100, 20, 40 ms").isEqualTo((double) ms(40));
    assertThat(figures.get("mainP50")).isEqualTo((double) ms(20), within(1e6));
    assertThat(figures.get("mainP99")).isEqualTo((double) ms(100), within(1e6));
    double sum = 10 * 100 + 30 * 20 + 20 * 40 + 5;
    assertThat(figures.get("mainAverage")).isEqualTo(ms(1) * sum / 65, within(1e5));
  }

  @Test
  void a_time_of_less_than_a_second_is_its_own_second() {
    Rates rates = new Rates(0);
    answers(rates, 4, 100, 10);
    Map<String, Double> figures = rates.figures("main", ms(500));
    assertThat(figures.get("mainRecentPerSecond")).isEqualTo(8);
    assertThat(figures.get("mainRecent")).isEqualTo((double) ms(10), within(1e5));
  }

  @Test
  void nothing_has_no_times() {
    Map<String, Double> figures = new Rates(0).figures("main", ms(2_000));
    assertThat(figures.get("mainCount")).isZero();
    assertThat(figures.get("mainRecent")).isZero();
  }
}
