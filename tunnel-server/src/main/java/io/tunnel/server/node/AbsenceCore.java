package io.tunnel.server.node;

/**
 * When a node that its group has lost stops coordinating. Others may do its part from the moment on
 * at which it is lost, and it cannot store anything if it is the node that is cut off; but often it
 * is found again at once, and then those whom it serves should not have been sent away. So it waits
 * for as long again as the group has waited for it.
 */
final class AbsenceCore {

  private final long patienceNanos;
  private boolean wasLost;
  private long sinceNanos;

  AbsenceCore(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /** Whether it has been lost for too long by now. */
  boolean isTooLong(boolean isLost, long nowNanos) {
    if (isLost && !wasLost) {
      sinceNanos = nowNanos;
    }
    wasLost = isLost;
    return isLost && nowNanos - sinceNanos >= patienceNanos;
  }
}
