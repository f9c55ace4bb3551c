package io.tunnel.server.session;

import io.tunnel.model.Limits;

/**
 * Limits of sessions.
 *
 * @param revokeDeadlineMs how long a worker may take to finish a revoked channel and give it back
 * @param deliveryBytesMax bytes of batches in one delivery, unless a single batch is larger
 * @param sessionsMax sessions at the same time; on a node of a cluster for each group of tunnels
 * @param sessionsOfConnectionMax sessions of one connection
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

  /** With the default numbers of sessions, which a control thread serves easily. */
  public SessionConfig(long revokeDeadlineMs, int deliveryBytesMax) {
    this(revokeDeadlineMs, deliveryBytesMax, SESSIONS_MAX, SESSIONS_OF_CONNECTION_MAX);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("session." + message);
    }
  }
}
