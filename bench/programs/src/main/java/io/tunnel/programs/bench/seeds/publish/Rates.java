package io.tunnel.programs.bench.seeds.publish;

import io.tunnel.programs.bench.load.Answers;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * Counts what was answered, and how long each answer took: as a whole, and in each second. The
 * figures of a typical second are what a monitor shows: medians of the whole seconds. Thread-safe.
 */
final class Rates implements Answers {

  /** Longer than any case. */
  static final int SECONDS_MAX = 3_600;

  private static final int SIGNIFICANT_DIGITS = 3;
  private static final double PERCENT_MEDIAN = 50;
  private static final double PERCENT_99 = 99;

  private final long startNanos;
  private final AtomicLongArray counts = new AtomicLongArray(SECONDS_MAX);
  private final AtomicLongArray micros = new AtomicLongArray(SECONDS_MAX);
  private final Recorder times = new Recorder(SIGNIFICANT_DIGITS);

  /** Nothing since {@code startNanos}. */
  Rates(long startNanos) {
    this.startNanos = startNanos;
  }

  @Override
  public void answered(long beganNanos, long nowNanos) {
    long took = Math.max(0, nowNanos - beganNanos);
    int second =
        (int)
            Math.min(
                SECONDS_MAX - 1L,
                Math.max(0, TimeUnit.NANOSECONDS.toSeconds(nowNanos - startNanos)));
    var unused = counts.incrementAndGet(second);
    unused = micros.addAndGet(second, TimeUnit.NANOSECONDS.toMicros(took));
    times.recordValue(took);
  }

  /** Answers so far. */
  long count() {
    long sum = 0;
    for (int second = 0; second < SECONDS_MAX; second++) {
      sum += counts.get(second);
    }
    return sum;
  }

  /**
   * The figures, by name behind {@code prefix}; times in nanoseconds. Called once.
   *
   * @param endNanos when the last answer came that counts
   */
  Map<String, Double> figures(String prefix, long endNanos) {
    Map<String, Double> figures = new LinkedHashMap<>();
    double nanos = Math.max(1, endNanos - startNanos);
    Histogram all = times.getIntervalHistogram();
    figures.put(prefix + PublishFigures.COUNT, (double) count());
    figures.put(prefix + PublishFigures.PER_SECOND, count() * 1e9 / nanos);
    figures.put(prefix + PublishFigures.AVERAGE, all.getMean());
    figures.put(prefix + PublishFigures.P50, (double) all.getValueAtPercentile(PERCENT_MEDIAN));
    figures.put(prefix + PublishFigures.P99, (double) all.getValueAtPercentile(PERCENT_99));
    int whole = (int) Math.min(SECONDS_MAX, nanos / 1e9);
    if (whole == 0) {
      figures.put(prefix + PublishFigures.RECENT_PER_SECOND, count() * 1e9 / nanos);
      figures.put(prefix + PublishFigures.RECENT, all.getMean());
    } else {
      figures.put(
          prefix + PublishFigures.RECENT_PER_SECOND,
          median(IntStream.range(0, whole).mapToDouble(counts::get).toArray()));
      figures.put(
          prefix + PublishFigures.RECENT,
          median(
              IntStream.range(0, whole)
                  .filter(second -> counts.get(second) > 0)
                  .mapToDouble(second -> 1e3 * micros.get(second) / counts.get(second))
                  .toArray()));
    }
    return figures;
  }

  private static double median(double[] values) {
    if (values.length == 0) {
      return 0;
    }
    Arrays.sort(values);
    int half = values.length / 2;
    return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }
}
