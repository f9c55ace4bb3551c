package io.tunnel.server.channel.ration;

/**
 * Decides the bytes a second that channels may deliver together while they catch up, and the order
 * of their turns.
 *
 * <p>At a look that finds writes waiting too long, the rate becomes half of the used rate. At any
 * other look, a rate that is used up grows: by an eighth, or by a sixty-fourth near the rate that
 * was last too much. Deliveries in addition to the throttled rate count as used. Each catch-up
 * alongside writes begins with the least rate, and without writes there is no limit.
 *
 * <p>A delivery takes bytes after all bytes taken before, and its channel may deliver again when
 * time has paid for them; so channels have their turns in the order of their deliveries, even when
 * the rate changes. Invariant: {@code paid <= taken <= paid + } one second of the rate.
 */
final class RationCore {

  /** Stands for no limit. */
  static final long UNLIMITED = 1L << 40;

  private static final double SECOND_NANOS = 1e9;

  /** A rate grows by this part of itself, or by the next near the rate that was too much. */
  private static final int FAST_PARTS = 8;

  private static final int SLOW_PARTS = 64;

  /** A long look counts as at most so many short ones, so that the rate at most doubles. */
  private static final int LOOKS_MAX = 6;

  private final long perSecondMin;

  /** The rate; {@code perSecondMin <= perSecond <= UNLIMITED}. */
  private long perSecond = UNLIMITED;

  /** The used rate that was last too much; {@link #UNLIMITED} when unknown. */
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

  /** Whether the used rate is the least, or is used mostly in addition to the throttled rate. */
  boolean isLeast(long usedPerSecond) {
    return perSecond <= perSecondMin || usedPerSecond - perSecond / 4 > perSecond;
  }

  /** Takes bytes; returns the mark for {@link #leftNanos} at which they are paid. */
  long take(long bytes, long now) {
    pass(now);
    taken += bytes;
    limitDebt();
    return taken;
  }

  /** Time at the present rate until all bytes up to the mark {@code upTo} are paid. */
  long leftNanos(long upTo, long now) {
    pass(now);
    return upTo <= paid ? 0 : (long) Math.ceil((upTo - paid) * SECOND_NANOS / perSecond);
  }

  /**
   * Adapts the rate.
   *
   * @param usedPerSecond bytes a second delivered to channels that catch up
   * @param looks length of this look in shortest looks, at least 1
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

  /** No channel catches up while clients write: the next catch-up begins with the least rate. */
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
