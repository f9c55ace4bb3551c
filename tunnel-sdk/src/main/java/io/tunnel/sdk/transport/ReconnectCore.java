package io.tunnel.sdk.transport;

/**
 * How long a worker waits before it tries again to reach a server, or the node that leads now. A
 * node that takes another's place does so within seconds, and a client that has doubled its pauses
 * meanwhile finds the new leader as late again. So pauses stay short for about ten seconds, and
 * grow up to the longest only for what is away for longer.
 *
 * @param soon the pauses of the first attempts
 * @param later those of the others
 */
public record ReconnectCore(BackoffCore soon, BackoffCore later) {

  /** Attempts that follow each other soon. */
  static final int SOON_ATTEMPTS = 24;

  private static final long FIRST_MS = 20;
  private static final long SOON_MS_MAX = 500;

  /** Pauses that reach that length in the end; all of them, when it is short. */
  public static ReconnectCore ofMillis(long maxMs) {
    long soonMaxMs = Math.min(SOON_MS_MAX, maxMs);
    return new ReconnectCore(
        BackoffCore.ofMillis(Math.min(FIRST_MS, maxMs), soonMaxMs),
        BackoffCore.ofMillis(soonMaxMs, maxMs));
  }

  /**
   * The pause after that many failures, at least one.
   *
   * @param chance uniform in [0, 1)
   */
  public long pauseNanos(int failures, double chance) {
    return failures <= SOON_ATTEMPTS
        ? soon.pauseNanos(failures, chance)
        : later.pauseNanos(failures - SOON_ATTEMPTS, chance);
  }

  /** {@link #pauseNanos} without its random part: never shorter than half of this. */
  public long longestNanos(int failures) {
    return pauseNanos(failures, 0);
  }
}
