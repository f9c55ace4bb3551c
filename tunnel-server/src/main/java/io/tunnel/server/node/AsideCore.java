package io.tunnel.server.node;

import java.util.concurrent.TimeUnit;

/**
 * When a node whose disk takes no writes steps aside, so that other nodes take its partitions. The
 * node steps aside at once and returns after a pause with space on its disk: after its return it
 * reads its replicas from the log again, which may fill the disk again. So the pause doubles each
 * time, until the node has taken part for {@link #PAUSE_NANOS_MAX}.
 */
final class AsideCore {

  static final long PAUSE_NANOS_MIN = TimeUnit.SECONDS.toNanos(30);
  static final long PAUSE_NANOS_MAX = TimeUnit.HOURS.toNanos(1);

  private boolean isAside;

  /**
   * The pause, with disk space all the time: {@code PAUSE_NANOS_MIN <= pauseNanos <=
   * PAUSE_NANOS_MAX}.
   */
  private long pauseNanos = PAUSE_NANOS_MIN;

  /**
   * While the node is aside, when its disk was last seen full; otherwise when the node returned.
   */
  private long sinceNanos;

  /** A node that is not aside. */
  AsideCore(long nowNanos) {
    sinceNanos = nowNanos;
  }

  /** Takes a look at the disk; true while the node is to be aside. */
  boolean look(boolean isFull, long nowNanos) {
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
