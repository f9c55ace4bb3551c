package io.tunnel.sdk.transport;

/**
 * How long to wait before a failed thing is tried again: doubles from {@code first} up to {@code
 * max}, less a random part of up to a half, so that many who failed together do not return
 * together.
 *
 * @param firstNanos before the second attempt, before jitter
 * @param maxNanos before any attempt
 */
public record BackoffCore(long firstNanos, long maxNanos) {

  private static final int DOUBLINGS_MAX = 40;

  /** Refuses no pause at all, and a first one that is longer than the longest. */
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
   * The pause after that many failures, at least one.
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
