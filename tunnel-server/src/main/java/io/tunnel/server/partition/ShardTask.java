package io.tunnel.server.partition;

/** What waits in a shard's queue. */
sealed interface ShardTask permits PendingWrite, ShardTask.Barrier {

  /**
   * Runs on the shard's thread when everything that was acknowledged before it is folded.
   *
   * @param isBehindWrites whether it also waits until all writes that were posted before it are
   *     answered, be they judged in slices
   */
  record Barrier(Runnable action, boolean isBehindWrites) implements ShardTask {}
}
