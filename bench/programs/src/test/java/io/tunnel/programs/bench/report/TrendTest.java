package io.tunnel.programs.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class TrendTest {

  private static Optional<Trend> of(int count, IntToDoubleFunction y) {
    List<Plot.Point> points = new ArrayList<>();
    for (int x = 0; x < count; x++) {
      points.add(new Plot.Point(x, y.applyAsDouble(x)));
    }
    return Trend.of(points);
  }

  @Test
  void a_line_is_its_slope() {
    Trend line = of(20, x -> 7 + 3.0 * x).orElseThrow();
    assertThat(line.low()).isCloseTo(3, within(1e-9));
    assertThat(line.high()).isCloseTo(3, within(1e-9));
    assertThat(line.mean()).isCloseTo(35.5, within(1e-9));
  }

  /**
   * Of 1,000 runs without a trend 10 may look as if they had one; noise is as processes have it.
   */
  @Test
  void noise_that_follows_from_what_was_before_is_seldom_taken_for_a_trend() {
    for (double memory : new double[] {0, 0.5, 0.8}) {
      int rising = 0;
      int judged = 0;
      for (int seed = 0; seed < 1_000; seed++) {
        Random random = new Random(seed);
        double[] state = {0};
        Optional<Trend> trend = of(120, x -> state[0] = memory * state[0] + random.nextGaussian());
        judged += trend.isPresent() ? 1 : 0;
        rising += trend.filter(each -> each.low() > 0).isPresent() ? 1 : 0;
      }
      assertThat(judged).as("judged with memory " + memory).isGreaterThan(900);
      assertThat(rising).as("taken for a rise with memory " + memory).isLessThan(35);
    }
  }

  @Test
  void a_leak_is_found_below_such_noise() {
    int found = 0;
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      double[] state = {0};
      found +=
          of(60, x -> 600 + x + (state[0] = 0.5 * state[0] + 5 * random.nextGaussian()))
                  .filter(trend -> trend.low() > 0)
                  .isPresent()
              ? 1
              : 0;
    }
    assertThat(found).isGreaterThan(190);
  }

  @Test
  void of_too_few_looks_nothing_is_said() {
    assertThat(of(7, x -> x)).isEmpty();
    assertThat(of(40, x -> x == 3 ? 1 : Double.NaN)).isEmpty();
    assertThat(of(40, x -> x < 20 ? 0 : 100)).as("one step is no trend").isEmpty();
  }
}
