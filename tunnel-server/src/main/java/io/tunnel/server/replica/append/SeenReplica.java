package io.tunnel.server.replica.append;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * A replica, as its lane shows the replica to {@link SnapshotsCore}.
 *
 * @param lane differs after the replica was rebuilt
 * @param epoch in which the node serves the partition
 * @param named the newest snapshot that the lane has read
 * @param bytes of records that the lane has taken
 * @param keptBytes of changes that the table keeps in each partition; 0 for all
 * @param hasOthers whether other nodes have a replica of the partition
 */
record SeenReplica(
    long lane,
    OptionalLong epoch,
    KnownLog log,
    Optional<LaneView.Named> named,
    long bytes,
    long keptBytes,
    boolean hasOthers) {}
