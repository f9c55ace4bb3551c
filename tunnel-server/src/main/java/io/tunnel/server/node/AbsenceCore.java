package io.tunnel.server.node;

import java.util.OptionalLong;

/**
 * When a node that its group has lost stops coordinating. Other nodes may take over from the time
 * of the loss, and a node that is cut off from the log can store nothing; but the group often finds
 * the node again at once, and then its clients should not have been sent away. So the node waits as
 * long again as the group has waited for it.
 */
final class AbsenceCore {

  private final long patienceNanos;

  /** When the node was seen lost first; empty while it is a member. */
  private OptionalLong sinceNanos = OptionalLong.empty();

  AbsenceCore(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /** Takes a look at whether the node is lost; true when it has been lost for too long. */
  boolean look(boolean isLost, long nowNanos) {
    if (!isLost) {
      sinceNanos = OptionalLong.empty();
      return false;
    }
    if (sinceNanos.isEmpty()) {
      sinceNanos = OptionalLong.of(nowNanos);
    }
    return nowNanos - sinceNanos.getAsLong() >= patienceNanos;
  }
}
