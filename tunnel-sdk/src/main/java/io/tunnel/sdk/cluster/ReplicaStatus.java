package io.tunnel.sdk.cluster;

import java.util.Objects;

/**
 * The replica of a partition on one node.
 *
 * @param partition its id
 * @param role what the replica does
 * @param epoch the newest epoch that it has read
 * @param next the position that it reads next
 * @param end the end of the log when the node last looked
 */
public record ReplicaStatus(int partition, Role role, long epoch, long next, long end) {

  /** What a replica does. */
  public enum Role {
    /** It reads the log, and may be read from. */
    FOLLOWING,
    /** It has asked to lead, and does not know yet whether it does. */
    CLAIMING,
    /** It takes the writes of its partition. */
    LEADING,
    /** It cannot go on: its topic is gone, or what it read cannot be. The node's log says why. */
    FAILED,
    /** Something that this version of the SDK does not know. */
    UNKNOWN
  }

  /** Refuses null. */
  public ReplicaStatus {
    Objects.requireNonNull(role, "role");
  }

  /** How many positions it is behind the end of the log, at least 0. */
  public long lag() {
    return Math.max(0, end - next);
  }
}
