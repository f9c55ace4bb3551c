package io.tunnel.partition.tool;

import java.util.List;

/**
 * How evenly something is spread.
 *
 * @param skew the largest as a multiple of the mean: 1 is even; 0 when there is nothing
 */
record Spread(long min, double mean, long max, double skew) {

  /** The spread of at least one value, none of them negative. */
  static Spread of(List<Long> values) {
    long min = Long.MAX_VALUE;
    long max = 0;
    double sum = 0;
    for (long value : values) {
      min = Math.min(min, value);
      max = Math.max(max, value);
      sum += value;
    }
    double mean = sum / values.size();
    return new Spread(min, mean, max, max == 0 ? 0 : max / mean);
  }
}
