package io.tunnel.server.cluster;

import java.util.Objects;

/**
 * A node in its cluster.
 *
 * @param node the node's name
 * @param incarnation differs between two starts of the node
 * @param address HOST:PORT where clients reach the node
 * @param standbys replicas of each partition in addition to the leader's
 * @param decideIntervalMs shortest time between a placement and this node's next question for one
 * @param levelMax highest level that the node's build serves
 */
public record NodeSettings(
    String node,
    String incarnation,
    String address,
    int standbys,
    long decideIntervalMs,
    int levelMax) {

  /** Most standbys of a partition. */
  public static final int STANDBYS_MAX = 8;

  /** Longest interval: a change of the cluster is to be decided about within a minute. */
  public static final long DECIDE_INTERVAL_MS_MAX = 60_000;

  /** Refuses null and numbers out of range. */
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
