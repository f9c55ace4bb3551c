package io.tunnel.server.backup;

/**
 * Spreads copied bytes evenly over time. A disk that was slow for a while is not made to catch up:
 * the copy may be {@link #BURST_NANOS} late, and forgets what is later.
 */
public final class PaceCore {

  private static final long BURST_NANOS = 100_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final long bytesPerSecond;

  /** When the bytes that were copied so far have had their time. */
  private long paidNanos = Long.MIN_VALUE;

  /**
   * A pace.
   *
   * @param bytesPerSecond 0 for no limit
   */
  public PaceCore(long bytesPerSecond) {
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException("a rate is at least 0, not " + bytesPerSecond);
    }
    this.bytesPerSecond = bytesPerSecond;
  }

  /** How long to wait after {@code bytes} were copied, before the next are. */
  public long waitNanos(long bytes, long nowNanos) {
    if (bytesPerSecond == 0) {
      return 0;
    }
    long from = paidNanos == Long.MIN_VALUE ? nowNanos : paidNanos;
    // A difference, because the clock may overflow.
    from = nowNanos - from > BURST_NANOS ? nowNanos - BURST_NANOS : from;
    paidNanos = from + (long) (bytes * NANOS_PER_SECOND / bytesPerSecond);
    return Math.max(0, paidNanos - nowNanos);
  }
}
