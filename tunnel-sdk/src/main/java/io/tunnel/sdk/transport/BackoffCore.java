package io.tunnel.sdk.transport;

/**
 * The pause before a retry: doubles from {@code first} up to {@code max}, less a random part of up
 * to a half, so that clients that failed together do not retry together.
 *
 * @param firstNanos the pause before the second attempt, without jitter
 * @param maxNanos the longest pause, without jitter
 */
public record BackoffCore(long firstNanos, long maxNanos) {

  private static final int DOUBLINGS_MAX = 40;

  /** Refuses a pause of zero, and a first pause longer than the longest. */
  public BackoffCore {
    if (firstNanos < 1 || firstNanos > maxNanos) {
      throw new IllegalArgumentException(
          "a backoff from " + firstNanos + " ns to " + maxNanos + " ns");
    }
  }

  /** A backoff in milliseconds. */
  public static BackoffCore ofMillis(long firstMs, long maxMs) {
    return new BackoffCore(firstMs * 1_000_000, Math.max(firstMs, maxMs) * 1_000_000);
  }

  /**
   * The pause after {@code failures} failures in a row, at least one.
   *
   * @param chance uniform in [0, 1)
   */
  public long pauseNanos(int failures, double chance) {
    if (failures < 1) {
      throw new IllegalArgumentException("a pause after " + failures + " failures");
    }
    int doublings = Math.min(failures - 1, DOUBLINGS_MAX);
    long full = maxNanos >> doublings < firstNanos ? maxNanos : firstNanos << doublings;
    return Math.max(1, full - (long) (full * chance / 2));
  }
}
