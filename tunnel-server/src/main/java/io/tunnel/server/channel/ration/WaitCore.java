package io.tunnel.server.channel.ration;

/**
 * Decides whether writes wait too long. Learns the normal wait of writes all the time without a
 * catch-up, and weighs the last seconds most. Learns it at the lowest rate too, but slowly: waits
 * that are long even then are not caused by the catch-up, so a changed load counts as normal after
 * minutes, and the rate grows again.
 */
final class WaitCore {

  /** Waits up to this are never too long: a busy machine wakes threads no faster. */
  static final double SHORT_NANOS = 1e6;

  private static final double LEARN_NANOS = 5e9;
  private static final double LEARN_AT_LEAST_NANOS = 120e9;
  private static final double PERCENT = 100;

  private final int percentMax;

  /** Average wait of a write without a catch-up; 0 while unknown. */
  private double normalNanos;

  /**
   * Writes that were answered in a time, and the sum of their waits.
   *
   * @param open writes without an answer yet
   */
  record Waits(long nanos, long writes, long waitNanos, long open) {

    double meanNanos() {
      return writes == 0 ? 0 : (double) waitNanos / writes;
    }
  }

  /** The catch-up during the time. */
  enum Meanwhile {
    /** No channel caught up. */
    NOTHING,
    /** Channels caught up with the least rate. */
    THE_LEAST,
    /** Channels caught up with a higher rate. */
    MORE
  }

  /** The verdict of a look. */
  enum Verdict {
    /** There are no writes. */
    NO_WRITES,
    /** Writes do not wait for the catch-up. */
    SHORT,
    /** Writes wait too long, or their normal wait is unknown. */
    LONG
  }

  WaitCore(int percentMax) {
    this.percentMax = percentMax;
  }

  Verdict judge(Waits waits, Meanwhile meanwhile) {
    if (waits.writes() == 0) {
      return waits.open() == 0 ? Verdict.NO_WRITES : Verdict.LONG;
    }
    boolean isLong =
        normalNanos == 0
            || waits.meanNanos() > Math.max(SHORT_NANOS, normalNanos * percentMax / PERCENT);
    switch (meanwhile) {
      case NOTHING -> learn(waits, LEARN_NANOS);
      case THE_LEAST -> learn(waits, LEARN_AT_LEAST_NANOS);
      case MORE -> {}
    }
    return isLong ? Verdict.LONG : Verdict.SHORT;
  }

  private void learn(Waits waits, double nanos) {
    double share = normalNanos == 0 ? 1 : Math.min(1, waits.nanos() / nanos);
    normalNanos += (waits.meanNanos() - normalNanos) * share;
  }

  double normalNanos() {
    return normalNanos;
  }
}
