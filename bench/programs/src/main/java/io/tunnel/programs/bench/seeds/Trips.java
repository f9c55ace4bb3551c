package io.tunnel.programs.bench.seeds;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * What the clients of one run saw.
 *
 * @param answers that count
 * @param figures of the answers; no times when there were none
 */
record Trips(long answers, Map<Figure, Double> figures) {

  private static final double NANOS_PER_MS = 1e6;

  /** Takes a copy. */
  Trips {
    figures = Map.copyOf(figures);
  }

  /** Rate and times of a run that took {@code elapsedNanos}. */
  static Trips of(Histogram all, long elapsedNanos) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    double seconds = Math.max(1, elapsedNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    figures.put(Figure.PER_SECOND, all.getTotalCount() / seconds);
    if (all.getTotalCount() > 0) {
      figures.put(Figure.AVERAGE_MS, all.getMean() / NANOS_PER_MS);
      figures.put(Figure.MIN_MS, all.getMinValue() / NANOS_PER_MS);
      figures.put(Figure.P50_MS, all.getValueAtPercentile(50) / NANOS_PER_MS);
      figures.put(Figure.P99_MS, all.getValueAtPercentile(99) / NANOS_PER_MS);
      figures.put(Figure.P999_MS, all.getValueAtPercentile(99.9) / NANOS_PER_MS);
      figures.put(Figure.MAX_MS, all.getMaxValue() / NANOS_PER_MS);
    }
    return new Trips(all.getTotalCount(), figures);
  }
}
