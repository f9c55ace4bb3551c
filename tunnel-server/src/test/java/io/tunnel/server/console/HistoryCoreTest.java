package io.tunnel.server.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HistoryCoreTest {

  private final HistoryCore history = new HistoryCore();

  private static Map<Figure, Double> all(double value) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      figures.put(figure, value);
    }
    return figures;
  }

  @Test
  void before_the_first_sample_there_is_nothing() {
    assertThat(history.endMs()).isZero();
    assertThat(history.series(Figure.SESSIONS)).isEmpty();
  }

  @Test
  void a_clock_that_goes_back_an_hour_starts_the_history_again() {
    long day = 86_400_000;
    history.add(day, all(1));
    history.add(day - 2 * 3_600_000, all(2));
    double[] series = history.series(Figure.CPU_SHARE);
    assertThat(series[HistoryCore.STEPS_MAX - 1]).isEqualTo(2);
    assertThat(series[HistoryCore.STEPS_MAX - 2]).isNaN();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void whatever_the_clock_does_each_step_shows_its_newest_sample_or_nothing(long seed) {
    Random random = new Random(seed);
    TreeMap<Long, Double> model = new TreeMap<>();
    long step = 10_000;
    for (int i = 0; i < 6_000; i++) {
      int move = random.nextInt(100);
      step =
          Math.max(
              0,
              step
                  + (move < 90
                      ? 1
                      : move < 98 ? random.nextInt(60) - 20 : random.nextInt(4_000) - 2_000));
      boolean isAfresh =
          !model.isEmpty() && Math.abs(step - model.lastKey()) >= HistoryCore.STEPS_MAX;
      if (isAfresh) {
        model.clear();
      }
      model.tailMap(step, true).clear();
      model.put(step, (double) i);
      history.add(step * HistoryCore.STEP_MS + random.nextInt((int) HistoryCore.STEP_MS), all(i));
    }
    double[] series = history.series(Figure.WRITTEN_ROWS);
    assertThat(series).hasSize(HistoryCore.STEPS_MAX);
    assertThat(history.endMs()).isEqualTo((model.lastKey() + 1) * HistoryCore.STEP_MS);
    for (int i = 0; i < series.length; i++) {
      long at = model.lastKey() - HistoryCore.STEPS_MAX + 1 + i;
      assertThat(series[i])
          .as("seed %d, step %d", seed, at)
          .isEqualTo(model.getOrDefault(at, Double.NaN));
    }
  }
}
