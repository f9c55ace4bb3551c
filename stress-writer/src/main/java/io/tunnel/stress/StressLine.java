package io.tunnel.stress;

import org.HdrHistogram.Histogram;

/**
 * One line of the report, printed as a JSON object with these members.
 *
 * @param kind {@code interval} for the time since the line before, {@code summary} for the whole
 *     run
 * @param timestampMs milliseconds since 1970
 * @param seconds how long the line's time is
 * @param rows rows applied since the start
 * @param rowsPerSecond rows applied a second in the line's time
 * @param megabytesPerSecond millions of encoded bytes of these a second
 * @param p50Ms latency in the line's time, from the intended time of sending to the outcome
 * @param errors rows since the start that were surely not applied
 * @param inDoubt rows since the start of which it is not known
 * @param skippedLines lines of the file since the start that were no rows
 */
record StressLine(
    String kind,
    long timestampMs,
    double seconds,
    long rows,
    long rowsPerSecond,
    double megabytesPerSecond,
    double p50Ms,
    double p99Ms,
    double p999Ms,
    double maxMs,
    long errors,
    long inDoubt,
    long skippedLines) {

  static StressLine of(
      String kind,
      long timestampMs,
      ReportCore.Rates rates,
      WriteTally.Counts counts,
      Histogram micros,
      long skippedLines) {
    return new StressLine(
        kind,
        timestampMs,
        round(rates.seconds()),
        counts.applied(),
        Math.round(rates.rowsPerSecond()),
        round(rates.megabytesPerSecond()),
        round(micros.getValueAtPercentile(50) / 1e3),
        round(micros.getValueAtPercentile(99) / 1e3),
        round(micros.getValueAtPercentile(99.9) / 1e3),
        round(micros.getMaxValue() / 1e3),
        counts.errors(),
        counts.inDoubt(),
        skippedLines);
  }

  /** To three digits behind the point. */
  private static double round(double value) {
    return Math.round(value * 1e3) / 1e3;
  }
}
