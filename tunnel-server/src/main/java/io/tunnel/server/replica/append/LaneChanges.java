package io.tunnel.server.replica.append;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shards;
import java.io.IOException;
import java.util.Optional;

/** The changes of a node's replicas: in the local logs, and before them in the shared log. */
final class LaneChanges {

  private final AppendReplicas replicas;
  private final Shards shards;
  private final AppendHistory history;

  LaneChanges(AppendReplicas replicas, Shards shards, AppendHistory history) {
    this.replicas = replicas;
    this.shards = shards;
    this.history = history;
  }

  private LocalLog local(int partition) {
    return shards.of(partition).log();
  }

  long committed(int partition) {
    return Math.max(local(partition).committed(partition), begun(partition) - 1);
  }

  /** The local log has changes from there on; 1 without a replica. */
  private long begun(int partition) {
    return replicas.view(partition).map(LaneView::begun).orElse(1L);
  }

  long firstPosition(int partition) {
    long begun = begun(partition);
    return local(partition).committed(partition) < begun - 1
        ? begun
        : local(partition).firstPosition(partition);
  }

  /**
   * From the local log, or, where that does not reach back so far, from the shared log. A replica
   * that is given up, or begun anew, just does not have changes: only where a partition is served
   * before and after the look are changes known to be lost.
   */
  Extents plan(int partition, long position, int bytesMax) {
    boolean wasServing = replicas.isServing(partition);
    long first = firstPosition(partition);
    while (position >= first) {
      try {
        return local(partition).plan(partition, position, bytesMax);
      } catch (RefusedException e) {
        // The local log has been trimmed meanwhile.
        first = firstPosition(partition);
        if (position >= first) {
          throw e;
        }
      }
    }
    if (!wasServing) {
      throw replicas.notLeader(partition);
    }
    try {
      Optional<Extents> older = history.plan(partition, position, first, bytesMax);
      return older.isPresent() ? older.get() : plan(partition, first, bytesMax);
    } catch (RefusedException e) {
      throw replicas.isServing(partition) ? e : replicas.notLeader(partition);
    }
  }

  long bytesAfter(int partition, long position) {
    return local(partition).bytesAfter(partition, behindFirst(partition, position));
  }

  long commitMicrosAfter(int partition, long position) throws IOException {
    long found = local(partition).commitMicrosAfter(partition, behindFirst(partition, position));
    // The local log may have been trimmed.
    return found > 0 || position >= committed(partition)
        ? found
        : replicas.view(partition).map(LaneView::lastMicros).orElse(0L);
  }

  long positionBefore(int partition, long epochMicros) throws IOException {
    return behindFirst(partition, local(partition).positionBefore(partition, epochMicros));
  }

  private long behindFirst(int partition, long position) {
    return Math.max(position, firstPosition(partition) - 1);
  }
}
