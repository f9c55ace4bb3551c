package io.tunnel.server.net.access;

/**
 * The debt of one subject under a rate. A take above the rate makes a debt, returns when the debt
 * will be paid, and the subject waits until then. The state is the moment at which everything taken
 * is paid: a take moves the moment by its cost, and up to one second of cost is a burst without a
 * wait.
 *
 * <p>If the subject waits as told, at most {@code rate * T} plus one burst passes in any interval
 * of T seconds; a first take that is larger than a burst passes instead of the burst. Not
 * thread-safe.
 */
final class QuotaCore {

  /** The highest rate a second; all computations fit into 64 bits with it. */
  public static final long RATE_MAX = 9_000_000_000L;

  private static final long SECOND_NANOS = 1_000_000_000;

  /** 146 years; a larger debt is cut to it. */
  private static final long DEBT_NANOS_MAX = Long.MAX_VALUE / 2;

  private long perSecond;

  /** The moment at which everything taken is paid. */
  private long paidNanos;

  /** The fraction of a nanosecond beyond {@code paidNanos}, times the rate; below the rate. */
  private long paidRest;

  /**
   * A rate without debt.
   *
   * @param perSecond 1 to {@value #RATE_MAX}
   * @throws IllegalArgumentException when the rate cannot be kept
   */
  public QuotaCore(long perSecond, long nowNanos) {
    this.perSecond = requireRate(perSecond);
    this.paidNanos = nowNanos;
  }

  /**
   * Takes {@code amount}.
   *
   * @param amount at least 0
   * @return nanoseconds that the subject must wait; 0 without a wait
   */
  public long take(long amount, long nowNanos) {
    if (amount < 0) {
      throw new IllegalArgumentException("nobody takes " + amount);
    }
    if (paidNanos - nowNanos < 0) {
      paidNanos = nowNanos;
      paidRest = 0;
    }
    long debtNanos = paidNanos - nowNanos;
    long seconds = amount / perSecond;
    if (seconds >= (DEBT_NANOS_MAX - debtNanos) / SECOND_NANOS - 1) {
      paidNanos = nowNanos + DEBT_NANOS_MAX;
      return DEBT_NANOS_MAX - SECOND_NANOS;
    }
    long rest = amount % perSecond * SECOND_NANOS + paidRest;
    paidNanos += seconds * SECOND_NANOS + rest / perSecond;
    paidRest = rest % perSecond;
    return delayNanos(nowNanos);
  }

  /** Nanoseconds that the subject must wait now. */
  public long delayNanos(long nowNanos) {
    long debtNanos = paidNanos - nowNanos + (paidRest > 0 ? 1 : 0);
    return Math.max(0, debtNanos - SECOND_NANOS);
  }

  /**
   * Changes the rate. A debt is still paid at the moment that was told.
   *
   * @param newPerSecond 1 to {@value #RATE_MAX}
   */
  public void change(long newPerSecond) {
    perSecond = requireRate(newPerSecond);
    if (paidRest > 0) {
      paidNanos++;
      paidRest = 0;
    }
  }

  private static long requireRate(long perSecond) {
    if (perSecond < 1 || perSecond > RATE_MAX) {
      throw new IllegalArgumentException(
          "a rate is 1 to " + RATE_MAX + " a second, not " + perSecond);
    }
    return perSecond;
  }
}
