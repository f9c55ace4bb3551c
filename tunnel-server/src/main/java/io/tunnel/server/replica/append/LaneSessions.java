package io.tunnel.server.replica.append;

import io.tunnel.server.partition.SessionSweeps;

/** The bound rows of a node's shards. */
public final class LaneSessions {

  private LaneSessions() {}

  /** The bound rows of the replicas of a node, and of the partitions that it leads. */
  public static SessionSweeps of(AppendReplicas replicas) {
    return new SessionSweeps(replicas.shards());
  }
}
