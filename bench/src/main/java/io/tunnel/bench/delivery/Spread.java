package io.tunnel.bench.delivery;

import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** The spread of a number of times. */
final class Spread {

  private static final double NANOS_PER_MS = 1e6;

  private Spread() {}

  /** Median, 99th percentile and largest, in milliseconds. */
  static String of(List<Long> nanos) {
    Histogram histogram = new Histogram(3);
    nanos.forEach(each -> histogram.recordValue(Math.max(0, each)));
    return String.format(
        Locale.ROOT,
        "n=%d  median %.2f ms  p99 %.2f ms  max %.2f ms",
        nanos.size(),
        histogram.getValueAtPercentile(50) / NANOS_PER_MS,
        histogram.getValueAtPercentile(99) / NANOS_PER_MS,
        histogram.getMaxValue() / NANOS_PER_MS);
  }
}
