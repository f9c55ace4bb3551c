package io.tunnel.server.session;

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
    if (revokeDeadlineMs < 1 || deliveryBytesMax < 1) {
      throw new IllegalArgumentException(
          "session.revokeDeadlineMs and session.deliveryBytesMax are at least 1, not "
              + revokeDeadlineMs
              + " and "
              + deliveryBytesMax);
    }
  }
}
