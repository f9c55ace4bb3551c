package io.tunnel.server.console;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/**
 * The figures of the last hour, in steps of {@value #STEP_MS} ms. A step without a sample, such as
 * while the machine slept, has no figures. Takes 8 bytes for each figure and step, however long the
 * server runs. Not thread-safe.
 */
final class HistoryCore {

  static final long STEP_MS = 2_000;
  static final int STEPS_MAX = 1_800;

  /** The value of step s is at s % STEPS_MAX; NaN where there is none. */
  private final Map<Figure, double[]> values = new EnumMap<>(Figure.class);

  /** Number of the newest step since 1970; -1 before the first sample. */
  private long newest = -1;

  HistoryCore() {
    for (Figure figure : Figure.values()) {
      values.put(figure, new double[STEPS_MAX]);
    }
  }

  /**
   * Adds a sample. A second sample of a step replaces the first. A clock that goes back by more
   * than an hour empties the history; one that goes back by less overwrites the steps from there.
   *
   * @param atMs milliseconds since 1970, 0 or more
   * @param figures NaN, or nothing, for a figure that is not known
   */
  void add(long atMs, Map<Figure, Double> figures) {
    long step = atMs / STEP_MS;
    values.forEach(
        (figure, ring) -> {
          forget(ring, step);
          ring[at(step)] = figures.getOrDefault(figure, Double.NaN);
        });
    newest = step;
  }

  /** Forward: steps that were left out. Backward: steps that are in the future now. */
  private void forget(double[] ring, long step) {
    if (newest < 0 || Math.abs(step - newest) >= STEPS_MAX) {
      Arrays.fill(ring, Double.NaN);
      return;
    }
    for (long left = Math.min(step, newest) + 1; left <= Math.max(step, newest); left++) {
      ring[at(left)] = Double.NaN;
    }
  }

  private static int at(long step) {
    return (int) (step % STEPS_MAX);
  }

  /** The end of the newest step in milliseconds since 1970; 0 before the first sample. */
  long endMs() {
    return newest < 0 ? 0 : (newest + 1) * STEP_MS;
  }

  /** The values of a figure, oldest step first; NaN where there is none. Empty before a sample. */
  double[] series(Figure figure) {
    if (newest < 0) {
      return new double[0];
    }
    double[] ring = values.get(figure);
    double[] series = new double[STEPS_MAX];
    for (int i = 0; i < STEPS_MAX; i++) {
      long step = newest - STEPS_MAX + 1 + i;
      series[i] = step < 0 ? Double.NaN : ring[at(step)];
    }
    return series;
  }
}
