package io.tunnel.server.cluster;

import java.util.concurrent.TimeUnit;

/**
 * When a node steps aside, so that others lead and follow in its place, because its disk takes
 * nothing. It does so at once, and takes part again when there has been room for a while: what it
 * followed it has to read again, which may fill the disk again. So the while doubles with every
 * time until the node has taken part for long enough.
 */
public final class AsideCore {

  static final long PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(30);
  static final long PAUSE_NANOS_MAX = TimeUnit.HOURS.toNanos(1);

  private boolean isAside;

  /** How long there has to be room: {@code PAUSE_NANOS_MIN <= pauseNanos <= PAUSE_NANOS_MAX}. */
  private long pauseNanos = PAUSE_NANOS_MIN;

  /** While it is aside, when there was no room last; else since when it takes part. */
  private long sinceNanos;

  /** A node that takes part. */
  public AsideCore(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** Whether the node is to be aside now. */
  public boolean look(boolean isFull, long nowNanos) {
    if (isFull && !isAside) {
      boolean wasGood = nowNanos - sinceNanos >= PAUSE_NANOS_MAX;
      isAside = true;
      pauseNanos = wasGood ? PAUSE_NANOS_MIN : pauseNanos;
    }
    if (isFull) {
      sinceNanos = nowNanos;
    } else if (isAside && nowNanos - sinceNanos >= pauseNanos) {
      isAside = false;
      sinceNanos = nowNanos;
      pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
    }
    return isAside;
  }
}
