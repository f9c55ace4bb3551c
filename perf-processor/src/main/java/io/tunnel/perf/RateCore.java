package io.tunnel.perf;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Makes rates out of running totals. Totals only grow and are never reset, so no row is lost or
 * counted twice between two lines, whatever is counted meanwhile.
 *
 * <p>The first line's time starts with the run. A line over no time at all has no rate, and leaves
 * what was counted to the next line. Fractions of a second count. Used by one thread.
 */
final class RateCore {

  private static final double SECOND_NANOS = 1e9;

  private final long startNanos;
  private final Usage startUsage;
  private long lastNanos;
  private Usage lastUsage;
  private Totals last = Totals.NONE;

  /** Rates of a run that starts at {@code startNanos} with nothing consumed. */
  RateCore(long startNanos, Usage startUsage) {
    this.startNanos = startNanos;
    this.lastNanos = startNanos;
    this.startUsage = startUsage;
    this.lastUsage = startUsage;
  }

  /**
   * What was consumed since the start.
   *
   * @param rowsByChannel per channel id; a channel that is not there counts as 0
   */
  record Totals(long rows, long bytes, Map<String, Long> rowsByChannel) {

    static final Totals NONE = new Totals(0, 0, Map.of());

    Totals {
      rowsByChannel = Map.copyOf(rowsByChannel);
    }
  }

  /** CPU time of the process since its start. */
  record Usage(long cpuNanos) {}

  /**
   * Rates over a stretch of time.
   *
   * @param seconds length of the interval; 0 when no time has passed, and then all rates are 0
   * @param rows rows in it
   * @param coresUsed CPU time per time
   * @param cpuSecondsPerMillionRows 0 when there were no rows
   * @param rowsPerSecondByChannel by channel id, for channels that ever had a row
   */
  record Rates(
      double seconds,
      long rows,
      double rowsPerSecond,
      double bytesPerSecond,
      double coresUsed,
      double cpuSecondsPerMillionRows,
      Map<String, Double> rowsPerSecondByChannel) {

    static final Rates NONE = new Rates(0, 0, 0, 0, 0, 0, Map.of());
  }

  /** Rates since the last call, or since the start. */
  Rates sinceLast(long nowNanos, Totals now, Usage usage) {
    Rates rates = rates(last, now, nowNanos - lastNanos, usage.cpuNanos() - lastUsage.cpuNanos());
    if (rates.seconds() > 0) {
      last = now;
      lastNanos = nowNanos;
      lastUsage = usage;
    }
    return rates;
  }

  /** Rates since the start. */
  Rates sinceStart(long nowNanos, Totals now, Usage usage) {
    return rates(Totals.NONE, now, nowNanos - startNanos, usage.cpuNanos() - startUsage.cpuNanos());
  }

  /** Rates over {@code nanos}, in which the totals grew from one to the other. */
  static Rates rates(Totals from, Totals to, long nanos, long cpuNanos) {
    if (nanos <= 0) {
      return Rates.NONE;
    }
    double seconds = nanos / SECOND_NANOS;
    long rows = to.rows() - from.rows();
    Map<String, Double> byChannel = new TreeMap<>();
    to.rowsByChannel()
        .forEach(
            (channel, total) ->
                byChannel.put(
                    channel, (total - from.rowsByChannel().getOrDefault(channel, 0L)) / seconds));
    return new Rates(
        seconds,
        rows,
        rows / seconds,
        (to.bytes() - from.bytes()) / seconds,
        cpuNanos / SECOND_NANOS / seconds,
        rows == 0 ? 0 : cpuNanos / SECOND_NANOS / rows * 1e6,
        Collections.unmodifiableMap(byChannel));
  }
}
