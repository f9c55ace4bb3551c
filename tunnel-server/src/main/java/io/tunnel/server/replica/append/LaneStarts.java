package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import java.util.concurrent.CompletableFuture;

/** Lets replicas be rebuilt, see {@link ReplicaStart}. */
interface LaneStarts {

  /**
   * Empties what the shard has of a partition without a lane, and fills the partition with a
   * snapshot where there is one; returns at once.
   *
   * @return what the lane continues from; fails as {@link ReplicaStart#begin}
   */
  CompletableFuture<LaneState> begin(Shard shard, int partition);

  /** How often a start has found a snapshot damaged, since the node started; for any thread. */
  long damaged();
}
