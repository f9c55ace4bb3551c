package io.tunnel.server.session;

import io.tunnel.model.Limits;

/**
 * Limits of sessions.
 *
 * @param revokeDeadlineMs how long a worker may take to finish and give back a channel that moves
 *     to another
 * @param deliveryBytesMax bytes of batches in one delivery, if a single batch is not larger
 */
public record SessionConfig(long revokeDeadlineMs, int deliveryBytesMax) {

  /** Refuses limits that cannot work. */
  public SessionConfig {
    require(revokeDeadlineMs >= 1, "revokeDeadlineMs is at least 1, not " + revokeDeadlineMs);
    require(
        deliveryBytesMax >= 1 && deliveryBytesMax <= Limits.BATCH_BYTES_MAX,
        "deliveryBytesMax is 1 to 6291456 (more does not fit a frame), not " + deliveryBytesMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("session." + message);
    }
  }
}
