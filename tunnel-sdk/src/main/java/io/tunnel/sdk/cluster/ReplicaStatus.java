package io.tunnel.sdk.cluster;

import java.util.Objects;

/**
 * The replica of a partition on one node.
 *
 * @param partition the id of the partition
 * @param role the replica's role
 * @param epoch the newest epoch that the replica has read
 * @param next the position that the replica reads next
 * @param end the end of the log when the node last looked
 */
public record ReplicaStatus(int partition, Role role, long epoch, long next, long end) {

  /** The roles of a replica. */
  public enum Role {
    /** Reads the log, and serves reads. */
    FOLLOWING,
    /** Has asked to lead, and waits for the outcome. */
    CLAIMING,
    /** Takes the writes of its partition. */
    LEADING,
    /**
     * Cannot go on: its topic is gone, or its log is corrupt. The node's log file tells the reason.
     */
    FAILED,
    /** A role that this version of the SDK does not know. */
    UNKNOWN
  }

  /** Refuses null. */
  public ReplicaStatus {
    Objects.requireNonNull(role, "role");
  }

  /** How many positions the replica is behind the end of the log, at least 0. */
  public long lag() {
    return Math.max(0, end - next);
  }
}
