package io.tunnel.perf;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.tunnel.terminal.Human;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * One line of the report, printed as a JSON object with these members, which mean the same in the
 * lines of all tools. Members that are null are left out.
 *
 * @param kind {@code interval} for the time since the line before, {@code summary} for the whole
 *     run
 * @param timestampMs milliseconds since 1970: when the line was made, or where its window of commit
 *     times ends
 * @param elapsedMs how long the line's time is
 * @param rows rows since the start
 * @param rowsPerSecond rows a second in the line's time
 * @param bytes bytes of the records since the start
 * @param bytesPerSecond bytes of the records a second in the line's time
 * @param latencyP50Ms from the commit on the server to the callback, in the line's time
 * @param aheadOfClock rows since the start that came before they were committed by the clocks, and
 *     count as 0 ms: the clocks of server and worker differ; null when there were none
 * @param lateRows rows since the start that were committed in a window that was complete when they
 *     were read, and are counted in a later one; null when there were none
 * @param coresUsed CPU time of this process per time
 * @param cpuSecondsPerMillionRows CPU time of this process
 * @param heapUsedBytes of this process' heap in use, garbage included
 * @param rowsPerSecondByChannel null unless asked for
 * @param stoppedBy why the run ended; null before
 */
record PerfLine(
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
    Long aheadOfClock,
    Long lateRows,
    double coresUsed,
    double cpuSecondsPerMillionRows,
    long heapUsedBytes,
    Map<String, Long> rowsPerSecondByChannel,
    String stoppedBy) {

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** What a line is made of besides rates and latencies. */
  record Frame(
      String kind,
      long timestampMs,
      Counts counts,
      long heapUsedBytes,
      boolean isPerChannel,
      String stoppedBy) {}

  /** Rows since the start. */
  record Counts(long rows, long bytes, long aheadOfClock, long late) {}

  static PerfLine of(Frame frame, RateCore.Rates rates, Histogram micros) {
    return new PerfLine(
        frame.kind(),
        frame.timestampMs(),
        Human.thousandths(rates.seconds() * 1e3),
        frame.counts().rows(),
        Math.round(rates.rowsPerSecond()),
        frame.counts().bytes(),
        Math.round(rates.bytesPerSecond()),
        Human.thousandths(micros.getValueAtPercentile(50) / 1e3),
        Human.thousandths(micros.getValueAtPercentile(99) / 1e3),
        Human.thousandths(micros.getValueAtPercentile(99.9) / 1e3),
        Human.thousandths(micros.getMaxValue() / 1e3),
        unlessZero(frame.counts().aheadOfClock()),
        unlessZero(frame.counts().late()),
        Human.thousandths(rates.coresUsed()),
        Human.thousandths(rates.cpuSecondsPerMillionRows()),
        frame.heapUsedBytes(),
        frame.isPerChannel() ? byChannel(rates) : null,
        frame.stoppedBy());
  }

  /** The line for people. */
  String text() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%-5s %12s rows  %11s rows/s  %9s/s  latency p50 %.1f ms, p99 %.1f, max %.1f  cores %.2f",
                kind.equals("summary") ? "total" : "",
                Human.count(rows),
                Human.count(rowsPerSecond),
                Human.bytes(bytesPerSecond),
                latencyP50Ms,
                latencyP99Ms,
                latencyMaxMs,
                coresUsed));
    if (lateRows != null) {
      text.append("  late ").append(Human.count(lateRows));
    }
    if (stoppedBy != null) {
      text.append("  ended by ").append(stoppedBy);
    }
    if (rowsPerSecondByChannel != null) {
      rowsPerSecondByChannel.forEach(
          (channel, rate) ->
              text.append(
                  String.format(
                      Locale.ROOT, "%n        %s %s rows/s", channel, Human.count(rate))));
    }
    return text.toString();
  }

  /** The line for programs. */
  String json() {
    return GSON.toJson(this);
  }

  private static Long unlessZero(long count) {
    return count == 0 ? null : count;
  }

  private static Map<String, Long> byChannel(RateCore.Rates rates) {
    Map<String, Long> rounded = new TreeMap<>();
    rates.rowsPerSecondByChannel().forEach((id, rate) -> rounded.put(id, Math.round(rate)));
    return rounded;
  }
}
