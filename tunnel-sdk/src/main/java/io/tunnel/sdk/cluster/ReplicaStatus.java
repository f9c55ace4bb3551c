package io.tunnel.sdk.cluster;

import java.util.Objects;
import java.util.Optional;

/**
 * The replica of a partition on one node.
 *
 * @param partition the id of the partition
 * @param role the replica's role
 * @param epoch the newest epoch that the replica has read
 * @param next the position that the replica reads next
 * @param end the end of the log when the node last looked, or -1 where nobody knows how far the
 *     replica is behind
 * @param error why the replica is {@link Role#FAILED} or {@link Role#OUTDATED}; empty in any other
 *     role
 */
public record ReplicaStatus(
    int partition, Role role, long epoch, long next, long end, Optional<String> error) {

  /** The roles of a replica. */
  public enum Role {
    /** Reads the log, and serves reads. */
    FOLLOWING,
    /** Has asked to lead, and waits for the outcome. */
    CLAIMING,
    /** Takes the writes of its partition. */
    LEADING,
    /**
     * Serves nothing: no snapshot is readable, the log is corrupt, or the disk of the node failed.
     * {@link ReplicaStatus#error} tells the reason.
     */
    FAILED,
    /** Waits for an upgrade of its node: the log has a record of a newer node. */
    OUTDATED,
    /** A role that this version of the SDK does not know. */
    UNKNOWN
  }

  /** Refuses null. */
  public ReplicaStatus {
    Objects.requireNonNull(role, "role");
    Objects.requireNonNull(error, "error");
  }

  /** A replica without an error. */
  public ReplicaStatus(int partition, Role role, long epoch, long next, long end) {
    this(partition, role, epoch, next, end, Optional.empty());
  }

  /** How many positions the replica is behind the end of the log; -1 where nobody knows. */
  public long lag() {
    return end < 0 ? -1 : Math.max(0, end - next);
  }
}
