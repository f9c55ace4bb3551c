package io.tunnel.stress;

/**
 * Makes lines of a report out of totals and times. The first line counts from the start, not from
 * some point before it; a line over no time has no rate and leaves its rows to the next.
 */
final class ReportCore {

  private static final double SECOND_NANOS = 1e9;

  private final long startNanos;
  private long lastNanos;
  private WriteTally.Counts last = WriteTally.Counts.NONE;

  ReportCore(long startNanos) {
    this.startNanos = startNanos;
    this.lastNanos = startNanos;
  }

  /** Rates over a stretch of time. */
  record Rates(double seconds, double rowsPerSecond, double bytesPerSecond) {

    static Rates of(WriteTally.Counts from, WriteTally.Counts to, long nanos) {
      if (nanos <= 0) {
        return new Rates(0, 0, 0);
      }
      double seconds = nanos / SECOND_NANOS;
      return new Rates(
          seconds,
          (to.applied() - from.applied()) / seconds,
          (to.appliedBytes() - from.appliedBytes()) / seconds);
    }
  }

  /** Rates since the last call. */
  Rates sinceLast(long nowNanos, WriteTally.Counts now) {
    Rates rates = Rates.of(last, now, nowNanos - lastNanos);
    if (rates.seconds() > 0) {
      lastNanos = nowNanos;
      last = now;
    }
    return rates;
  }

  /** Rates since the start. */
  Rates sinceStart(long nowNanos, WriteTally.Counts now) {
    return Rates.of(WriteTally.Counts.NONE, now, nowNanos - startNanos);
  }
}
