package io.tunnel.server.session;

import io.tunnel.model.Limits;

/**
 * Limits of sessions.
 *
 * @param revokeDeadlineMs how long a worker may take to finish and give back a channel that moves
 *     to another
 * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
 * @param sessionsMax sessions at the same time; of a node of a cluster, in one group of tunnels
 * @param sessionsOfConnectionMax those of them that live on one connection
 */
public record SessionConfig(
    long revokeDeadlineMs, int deliveryBytesMax, int sessionsMax, int sessionsOfConnectionMax) {

  private static final int SESSIONS_MAX = 4_096;
  private static final int SESSIONS_OF_CONNECTION_MAX = 1_024;

  /** Refuses limits that cannot work. */
  public SessionConfig {
    require(revokeDeadlineMs >= 1, "revokeDeadlineMs is at least 1, not " + revokeDeadlineMs);
    require(
        deliveryBytesMax >= 1 && deliveryBytesMax <= Limits.BATCH_BYTES_MAX,
        "deliveryBytesMax is 1 to 6291456 (more does not fit a frame), not " + deliveryBytesMax);
    require(sessionsMax >= 1, "sessionsMax is at least 1, not " + sessionsMax);
    require(
        sessionsOfConnectionMax >= 1,
        "sessionsOfConnectionMax is at least 1, not " + sessionsOfConnectionMax);
  }

  /** With as many sessions as a control thread serves in no time. */
  public SessionConfig(long revokeDeadlineMs, int deliveryBytesMax) {
    this(revokeDeadlineMs, deliveryBytesMax, SESSIONS_MAX, SESSIONS_OF_CONNECTION_MAX);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("session." + message);
    }
  }
}
