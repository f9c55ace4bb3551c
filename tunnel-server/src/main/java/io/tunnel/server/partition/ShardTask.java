package io.tunnel.server.partition;

import java.util.Set;

/** What waits in a shard's queue. */
sealed interface ShardTask permits PendingWrite, ShardTask.Barrier {

  /** The partitions of which the table must have all that was acknowledged before this task. */
  Set<Integer> partitions();

  /**
   * Runs on the shard's thread when everything of some partitions that was acknowledged before it
   * is folded; writes of these partitions that come behind it wait for it.
   *
   * @param isBehindWrites whether it also waits until all writes that were posted before it are
   *     answered, be they judged in slices
   */
  record Barrier(Set<Integer> partitions, Runnable action, boolean isBehindWrites)
      implements ShardTask {
    /** Keeps a copy. */
    public Barrier {
      partitions = Set.copyOf(partitions);
    }
  }
}
