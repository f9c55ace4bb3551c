package io.tunnel.stress;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tunnel.terminal.Human;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * One line of the report, printed for people or as a JSON object with these members, which mean the
 * same in the lines of all tools.
 *
 * @param kind {@code interval} for the time since the line before, {@code summary} for the whole
 *     run
 * @param timestampMs milliseconds since 1970
 * @param elapsedMs how long the line's time is
 * @param rows rows applied since the start
 * @param rowsPerSecond rows applied a second in the line's time
 * @param bytes encoded bytes of the rows since the start
 * @param bytesPerSecond encoded bytes a second in the line's time
 * @param latencyP50Ms latency in the line's time, from the intended time of sending to the outcome
 * @param errors rows since the start that were surely not applied
 * @param inDoubt rows since the start of which it is not known
 * @param skippedLines lines of the file since the start that were no rows
 * @param missed rows that were due by the rate and not sent when the run ended; the latencies of
 *     the summary have them with the time that they were overdue
 */
record StressLine(
    String kind,
    long timestampMs,
    double elapsedMs,
    long rows,
    long rowsPerSecond,
    long bytes,
    long bytesPerSecond,
    double latencyP50Ms,
    double latencyP99Ms,
    double latencyP999Ms,
    double latencyMaxMs,
    long errors,
    long inDoubt,
    long skippedLines,
    long missed) {

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** The line for programs. */
  String json() {
    return GSON.toJson(this);
  }

  /** The line for people. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%-5s %12s rows  %11s rows/s  %9s/s  latency p50 %.1f ms, p99 %.1f, max %.1f%s%s%s%s",
        kind.equals("summary") ? "total" : "",
        Human.count(rows),
        Human.count(rowsPerSecond),
        Human.bytes(bytesPerSecond),
        latencyP50Ms,
        latencyP99Ms,
        latencyMaxMs,
        errors == 0 ? "" : "  errors " + Human.count(errors),
        inDoubt == 0 ? "" : "  in doubt " + Human.count(inDoubt),
        skippedLines == 0 ? "" : "  skipped lines " + Human.count(skippedLines),
        missed == 0 ? "" : "  due and not sent " + Human.count(missed));
  }

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
        Human.thousandths(rates.seconds() * 1e3),
        counts.applied(),
        Math.round(rates.rowsPerSecond()),
        counts.appliedBytes(),
        Math.round(rates.bytesPerSecond()),
        Human.thousandths(micros.getValueAtPercentile(50) / 1e3),
        Human.thousandths(micros.getValueAtPercentile(99) / 1e3),
        Human.thousandths(micros.getValueAtPercentile(99.9) / 1e3),
        Human.thousandths(micros.getMaxValue() / 1e3),
        counts.errors(),
        counts.inDoubt(),
        skippedLines,
        counts.missed());
  }
}
