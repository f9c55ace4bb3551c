package io.tunnel.server.replica.append;

import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.Extents;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.Shards;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The changes of a node's replicas: in the local logs, and before them in the shared log. */
final class LaneChanges {

  private static final Logger LOGGER = LoggerFactory.getLogger(LaneChanges.class);

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
   * that is dropped, or rebuilt, just does not have changes: only where a partition is served
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

  /**
   * Bytes of changes that the table keeps. Unknown where the local log lacks some of these changes,
   * since the shared log tells no bytes of changes that no reader reads.
   */
  long bytesAfter(int partition, long position) {
    try {
      long wanted = Math.max(position + 1, replicas.firstKeptPosition(partition));
      long first = firstPosition(partition);
      boolean isKnown = wanted >= first || areExpiredBefore(partition, first);
      return isKnown ? localBytesAfter(partition, position) : LogFigures.UNKNOWN;
    } catch (IOException e) {
      LOGGER.debug("cannot read the local log of partition {}", partition, e);
      return LogFigures.UNKNOWN;
    }
  }

  /** Commit times never fall: all changes before a change that is not kept are not kept either. */
  private boolean areExpiredBefore(int partition, long first) throws IOException {
    long keptMicros = replicas.keptMicros(partition);
    if (keptMicros <= 0) {
      return false;
    }
    // Without a change in the local log, no change of the partition is later than the last one.
    long micros =
        first > committed(partition)
            ? lastMicros(partition)
            : commitMicrosAfter(partition, first - 1);
    return micros < keptMicros;
  }

  private long lastMicros(int partition) {
    return replicas.view(partition).map(LaneView::lastMicros).orElse(0L);
  }

  /** Bytes of the local log alone. */
  long localBytesAfter(int partition, long position) {
    return local(partition).bytesAfter(partition, behindFirst(partition, position));
  }

  long commitMicrosAfter(int partition, long position) throws IOException {
    long found = local(partition).commitMicrosAfter(partition, behindFirst(partition, position));
    // The local log may have been trimmed.
    return found > 0 || position >= committed(partition) ? found : lastMicros(partition);
  }

  long positionBefore(int partition, long epochMicros) throws IOException {
    return behindFirst(partition, local(partition).positionBefore(partition, epochMicros));
  }

  private long behindFirst(int partition, long position) {
    return Math.max(position, firstPosition(partition) - 1);
  }
}
