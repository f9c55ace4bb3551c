package io.tunnel.server.console;

import java.util.Arrays;

/**
 * The figures of the last hour, in steps of {@value #STEP_MS} ms. A step without a sample, such as
 * while the machine slept, has no figures. Takes 8 bytes for each figure and step, however long the
 * server runs. Not thread-safe.
 */
final class HistoryCore {

  static final long STEP_MS = 2_000;
  static final int STEPS_MAX = 1_800;

  private static final int FIGURES = Figure.values().length;

  /** Figure f of step s is at s % STEPS_MAX * FIGURES + f; NaN where there is none. */
  private final double[] values = new double[STEPS_MAX * FIGURES];

  /** Number of the newest step since 1970; -1 before the first sample. */
  private long newest = -1;

  /**
   * Adds a sample. A second sample of a step replaces the first. A clock that goes back by more
   * than an hour empties the history; one that goes back by less overwrites the steps from there.
   *
   * @param atMs milliseconds since 1970, 0 or more
   * @param figures by the ordinals of {@link Figure}; NaN for a figure that is not known
   */
  void add(long atMs, double[] figures) {
    if (figures.length != FIGURES) {
      throw new IllegalArgumentException(figures.length + " figures, not " + FIGURES);
    }
    long step = atMs / STEP_MS;
    if (newest < 0 || Math.abs(step - newest) >= STEPS_MAX) {
      Arrays.fill(values, Double.NaN);
    } else {
      // Forward: steps that were left out. Backward: steps that are in the future now.
      for (long left = Math.min(step, newest) + 1; left <= Math.max(step, newest); left++) {
        Arrays.fill(values, at(left), at(left) + FIGURES, Double.NaN);
      }
    }
    newest = step;
    System.arraycopy(figures, 0, values, at(step), FIGURES);
  }

  private static int at(long step) {
    return (int) (step % STEPS_MAX) * FIGURES;
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
    double[] series = new double[STEPS_MAX];
    for (int i = 0; i < STEPS_MAX; i++) {
      long step = newest - STEPS_MAX + 1 + i;
      series[i] = step < 0 ? Double.NaN : values[at(step) + figure.ordinal()];
    }
    return series;
  }
}
