package io.tunnel.server.replica;

/** Why a replica reads, leads and serves nothing until the node starts again. */
enum ReplicaStop {
  /** It goes on. */
  NONE,
  /** The next record is damaged, or the log is not that of the replica's table. */
  FAILED,
  /**
   * The next record was written by a newer build. The replica keeps its place in front of the
   * record: neither fenced nor folded, the record is read after an upgrade of this node.
   */
  OUTDATED
}
