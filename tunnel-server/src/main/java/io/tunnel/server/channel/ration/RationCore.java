package io.tunnel.server.channel.ration;

/**
 * How many bytes a second all channels that catch up may deliver together, and whose turn it is.
 *
 * <p>The rate becomes half of what is used at each look that finds writes waiting too long, and
 * grows at each look that does not, if it is used: by an eighth, or by a sixty-fourth near what was
 * too much last. What is delivered beside the ration is used, too. The rate begins at the least
 * with each backlog that is drained beside writes, and is no limit when nobody writes.
 *
 * <p>Who delivers takes bytes behind all that were taken before, and comes again when these are
 * paid by time; so all have their turns in the order in which they took, whatever becomes of the
 * rate meanwhile. Invariant: {@code paid <= taken <= paid + } one second of the rate.
 */
final class RationCore {

  /** A rate that is no limit. */
  static final long UNLIMITED = 1L << 40;

  private static final double SECOND_NANOS = 1e9;

  /**
   * A rate grows by the first part of itself, or by the second when it is near what was too much.
   */
  private static final int FAST_PARTS = 8;

  private static final int SLOW_PARTS = 64;

  /** However long a look is, the rate is doubled at most. */
  private static final int LOOKS_MAX = 6;

  private final long perSecondMin;

  /** The rate; {@code perSecondMin <= perSecond <= UNLIMITED}. */
  private long perSecond = UNLIMITED;

  /** What was used when it was too much last; {@link #UNLIMITED} when that is not known. */
  private long tooMuch = UNLIMITED;

  private long taken;
  private double paid;
  private long nowNanos;

  RationCore(long perSecondMin, long nowNanos) {
    this.perSecondMin = perSecondMin;
    this.nowNanos = nowNanos;
  }

  long perSecond() {
    return perSecond;
  }

  /** Whether what is used is the least, or comes beside the ration for the most part. */
  boolean isLeast(long usedPerSecond) {
    return perSecond <= perSecondMin || usedPerSecond - perSecond / 4 > perSecond;
  }

  /** Takes so many bytes; returns when they are paid, for {@link #leftNanos}. */
  long take(long bytes, long now) {
    pass(now);
    taken += bytes;
    limitDebt();
    return taken;
  }

  /** How long it takes, at the rate of now, until what was taken up to there is paid. */
  long leftNanos(long upTo, long now) {
    pass(now);
    return upTo <= paid ? 0 : (long) Math.ceil((upTo - paid) * SECOND_NANOS / perSecond);
  }

  /**
   * Adapts the rate.
   *
   * @param usedPerSecond what those who catch up are delivered
   * @param looks how many of the shortest looks this one is as long as, 1 at least
   */
  void adapt(WaitCore.Verdict verdict, long usedPerSecond, long looks, long now) {
    pass(now);
    switch (verdict) {
      case NO_WRITES -> {
        perSecond = UNLIMITED;
        tooMuch = UNLIMITED;
      }
      case LONG -> {
        tooMuch = Math.max(perSecondMin, usedPerSecond);
        perSecond = Math.max(perSecondMin, Math.min(perSecond, usedPerSecond / 2));
      }
      case SHORT -> {
        if (usedPerSecond >= perSecond / 2) {
          perSecond = Math.min(UNLIMITED, Math.max(perSecond, usedPerSecond));
          grow(Math.min(looks, LOOKS_MAX));
        }
      }
    }
    limitDebt();
  }

  /** Nothing is caught up, and somebody writes: who begins to catch up begins with the least. */
  void rest(long now) {
    pass(now);
    perSecond = perSecondMin;
    tooMuch = UNLIMITED;
    limitDebt();
  }

  private void grow(long times) {
    for (long i = 0; i < times; i++) {
      boolean isNear = Math.abs(perSecond - tooMuch) <= tooMuch / 4;
      int parts = isNear ? SLOW_PARTS : FAST_PARTS;
      perSecond = Math.min(UNLIMITED, perSecond + Math.max(1, perSecond / parts));
    }
  }

  private void pass(long now) {
    long passed = now - nowNanos;
    if (passed <= 0) {
      return;
    }
    nowNanos = now;
    paid = Math.min((double) taken, paid + (double) passed * perSecond / SECOND_NANOS);
  }

  private void limitDebt() {
    double owed = perSecond == UNLIMITED ? 0 : (double) perSecond;
    paid = Math.max(paid, (double) taken - owed);
  }
}
