package io.tunnel.server.channel.ration;

/**
 * Whether writes wait longer than they should. How long they wait when nothing is caught up is
 * learned all the time, with the last seconds weighing most. At the lowest ration it is learned
 * too, but slowly: what is not better there is not the doing of those who catch up, so a load that
 * has changed is taken for normal after minutes, and the ration grows again.
 */
final class WaitCore {

  /** Waits up to this are never long: threads are woken no faster on a machine that has work. */
  static final double SHORT_NANOS = 1e6;

  private static final double LEARN_NANOS = 5e9;
  private static final double LEARN_AT_LEAST_NANOS = 120e9;
  private static final double PERCENT = 100;

  private final int percentMax;

  /** What a write waits on average when nothing is caught up; 0 as long as that is not known. */
  private double normalNanos;

  /**
   * Writes that were answered in a while, and how long each waited, together.
   *
   * @param open writes that are not answered yet
   */
  record Waits(long nanos, long writes, long waitNanos, long open) {

    double meanNanos() {
      return writes == 0 ? 0 : (double) waitNanos / writes;
    }
  }

  /** What was going on meanwhile. */
  enum Meanwhile {
    /** Nothing was caught up. */
    NOTHING,
    /** Those who catch up had no more than the least. */
    THE_LEAST,
    /** They had more. */
    MORE
  }

  /** What is found. */
  enum Verdict {
    /** Nobody writes. */
    NO_WRITES,
    /** They do not wait for those who catch up. */
    SHORT,
    /** They wait too long, or for how long they should is not known yet. */
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
