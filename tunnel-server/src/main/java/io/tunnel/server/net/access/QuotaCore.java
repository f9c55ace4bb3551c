package io.tunnel.server.net.access;

/**
 * One rate that somebody is slowed down to. Who takes more than there is goes into debt, is told
 * when it will be paid, and waits until then. Kept as the moment at which all that was taken is
 * paid: a take moves that moment on by what it costs, and costs of up to a second are a burst that
 * nobody waits for.
 *
 * <p>When everybody waits as told, then in any interval of T seconds at most {@code rate * T} and
 * one burst passes; or, where the first that passes is larger than a burst, that one in its place.
 * For one thread, or behind the lock of those who share it.
 */
final class QuotaCore {

  /** The highest rate a second: with it all numbers here fit into 64 bits. */
  public static final long RATE_MAX = 9_000_000_000L;

  private static final long SECOND_NANOS = 1_000_000_000;

  /** 146 years: who owes more owes that. */
  private static final long DEBT_NANOS_MAX = Long.MAX_VALUE / 2;

  private long perSecond;

  /** When all that was taken is paid. */
  private long paidNanos;

  /** What of a nanosecond is to be paid behind {@code paidNanos}, times the rate: below it. */
  private long paidRest;

  /**
   * Nothing is taken yet.
   *
   * @param perSecond 1 to {@value #RATE_MAX}
   * @throws IllegalArgumentException when the rate cannot be kept
   */
  public QuotaCore(long perSecond, long nowNanos) {
    this.perSecond = requireRate(perSecond);
    this.paidNanos = nowNanos;
  }

  /**
   * Takes so much.
   *
   * @param amount at least 0
   * @return how many nanoseconds whoever took it has to wait; 0 when it may go on at once
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

  /** How many nanoseconds who takes nothing more would have to wait. */
  public long delayNanos(long nowNanos) {
    long debtNanos = paidNanos - nowNanos + (paidRest > 0 ? 1 : 0);
    return Math.max(0, debtNanos - SECOND_NANOS);
  }

  /**
   * Goes on at another rate. Delays that were told stay: a debt is paid when it was to be.
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
