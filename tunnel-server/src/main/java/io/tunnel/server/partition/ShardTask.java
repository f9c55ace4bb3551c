package io.tunnel.server.partition;

/** What waits in a shard's queue. */
sealed interface ShardTask permits PendingWrite, ShardTask.Barrier {

  /**
   * Runs on the shard's thread when everything that was posted before it is committed and folded.
   */
  record Barrier(Runnable action) implements ShardTask {}
}
