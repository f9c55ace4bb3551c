package io.tunnel.sdk.transport;

/**
 * The pause of a worker before it reconnects to a server, or to the new leader. A leader is
 * replaced within seconds, and a client that has doubled its pauses by then finds the new leader
 * late. So pauses stay short for about ten seconds, and grow to the longest only during longer
 * outages.
 *
 * @param soon pauses of the first attempts
 * @param later pauses of further attempts
 */
public record ReconnectCore(BackoffCore soon, BackoffCore later) {

  /** How many attempts have the short pauses. */
  static final int SOON_ATTEMPTS = 24;

  private static final long FIRST_MS = 20;
  private static final long SOON_MS_MAX = 500;

  /** Pauses that grow to {@code maxMs}; no pause is longer. */
  public static ReconnectCore ofMillis(long maxMs) {
    long soonMaxMs = Math.min(SOON_MS_MAX, maxMs);
    return new ReconnectCore(
        BackoffCore.ofMillis(Math.min(FIRST_MS, maxMs), soonMaxMs),
        BackoffCore.ofMillis(soonMaxMs, maxMs));
  }

  /**
   * The pause after {@code failures} failures in a row, at least one.
   *
   * @param chance uniform in [0, 1)
   */
  public long pauseNanos(int failures, double chance) {
    return failures <= SOON_ATTEMPTS
        ? soon.pauseNanos(failures, chance)
        : later.pauseNanos(failures - SOON_ATTEMPTS, chance);
  }

  /**
   * The longest {@link #pauseNanos}, without the random part; every pause is at least half of it.
   */
  public long longestNanos(int failures) {
    return pauseNanos(failures, 0);
  }
}
