package io.tunnel.server.cluster;

import java.util.Objects;

/**
 * A node in its cluster.
 *
 * @param node the node's name
 * @param incarnation differs between two starts of the node
 * @param address where clients reach it, as HOST:PORT
 * @param standbys how many replicas of each partition there shall be beside the leader
 * @param decideIntervalMs how long after a decision this node asks for another one at the earliest
 */
public record NodeSettings(
    String node, String incarnation, String address, int standbys, long decideIntervalMs) {

  /** More replicas than that are of no use. */
  public static final int STANDBYS_MAX = 8;

  /** So that what a minute brings is decided within a minute. */
  public static final long DECIDE_INTERVAL_MS_MAX = 60_000;

  /** Refuses null and what is out of range. */
  public NodeSettings {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(address, "address");
    if (standbys < 0 || standbys > STANDBYS_MAX) {
      throw new IllegalArgumentException("standbys are 0 to " + STANDBYS_MAX + ", not " + standbys);
    }
    if (decideIntervalMs < 1 || decideIntervalMs > DECIDE_INTERVAL_MS_MAX) {
      throw new IllegalArgumentException(
          "decideIntervalMs is 1 to " + DECIDE_INTERVAL_MS_MAX + ", not " + decideIntervalMs);
    }
  }
}
