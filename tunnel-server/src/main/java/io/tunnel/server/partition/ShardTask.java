package io.tunnel.server.partition;

import java.util.Set;

/** A task in a shard's queue. */
sealed interface ShardTask permits PendingWrite, ShardTask.Barrier {

  /** The partitions whose acknowledged changes the table must have before this task runs. */
  Set<Integer> partitions();

  /** The shard's thread stops: refuses a write, and runs what others wait for. */
  default void end() {
    if (this instanceof PendingWrite write) {
      write.refused(PendingWrite.stopping());
    } else if (this instanceof Barrier barrier) {
      OwnerLoop.runPosted(barrier.action());
    }
  }

  /**
   * Runs an action on the shard's thread once the table has all changes of some partitions that the
   * shard acknowledged before the barrier.
   */
  record Barrier(Set<Integer> partitions, Runnable action, Order order) implements ShardTask {

    /** How a barrier stands among the writes of its queue. */
    enum Order {
      /**
       * Later writes may join the group that is being gathered when the barrier comes, and be
       * committed first. That is enough for a read, and so reads between writes cost no sync.
       */
      READ,

      /** Later writes to the partitions wait for the barrier. */
      BETWEEN_WRITES,

      /**
       * As {@link #BETWEEN_WRITES}, and the barrier waits until the shard has answered all earlier
       * writes, even those that the shard evaluates in slices.
       */
      BEHIND_WRITES
    }

    /** Keeps a copy. */
    public Barrier {
      partitions = Set.copyOf(partitions);
    }
  }
}
