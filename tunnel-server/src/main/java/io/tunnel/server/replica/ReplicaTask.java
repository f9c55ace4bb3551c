package io.tunnel.server.replica;

import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.shared.ReplicaEnds;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** What waits in the queue of a shard of replicas. */
sealed interface ReplicaTask {

  /** A write to a partition that was led when it was accepted. */
  record Write(int partition, PendingWrite write) implements ReplicaTask {}

  /** See {@link SharedLog.TailListener#read}. */
  record Read(
      int partition, long from, List<Stored> records, long next, long readMicros, long bytes)
      implements ReplicaTask {}

  /** See {@link SharedLog.TailListener#lost}. */
  record Lost(int partition, long offset, long first) implements ReplicaTask {}

  /** See {@link SharedLog.Appended}. */
  record Appended(int partition, long number, Optional<IOException> failure)
      implements ReplicaTask {}

  /** The end of the log, when it could be found; it was asked for at that moment. */
  record End(int partition, Optional<SharedLog.End> end, ReplicaEnds.Asked asked)
      implements ReplicaTask {}

  /** See {@link ReadIndex}. */
  record StrictRead(int partition, ReadIndex.Read read) implements ReplicaTask {}

  /** The end that was asked for by strict reads. */
  record StrictEnd(Replica replica, Optional<SharedLog.End> end) implements ReplicaTask {}

  /** What to be for a partition. */
  record Become(int partition, Target target) implements ReplicaTask {}

  /** What a node is to be for a partition. */
  enum Target {
    FOLLOW,
    LEAD,
    LEAVE
  }

  /** Runs when everything that was read before is folded. */
  record Barrier(Runnable action) implements ReplicaTask {}
}
