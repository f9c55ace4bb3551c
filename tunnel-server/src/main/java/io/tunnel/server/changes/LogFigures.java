package io.tunnel.server.changes;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;

/**
 * What this server knows of the logs of partitions without asking another process: descriptions,
 * metrics and warnings use it. A {@link ChangeReader} knows all figures of its own log. Safe for
 * use by any thread.
 */
public interface LogFigures {

  /** Stands for a figure that this server cannot know. */
  long UNKNOWN = -1;

  /**
   * Position of the newest committed change, or record; 0 when there is none. {@link #UNKNOWN} only
   * in figures that {@link #about} has made.
   */
  long committed(int partition);

  /** Position of the oldest change that is kept; one over {@link #committed} when there is none. */
  long firstPosition(int partition);

  /**
   * Bytes of the batches that hold kept changes after {@code position}; {@link #UNKNOWN} where
   * another log keeps some of these changes, as a shared log does for a replica that began with a
   * snapshot.
   */
  long bytesAfter(int partition, long position);

  /**
   * Commit time in microseconds since 1970 of the batch that holds the change after {@code
   * position}, or a later time where the change is not on this server's disk; 0 when there is no
   * change, or {@link #UNKNOWN}. Figures that {@link #about} has made have no later time of a
   * change that another log keeps. Reads a file.
   */
  long commitMicrosAfter(int partition, long position) throws IOException;

  /**
   * The latest commit time, in microseconds since 1970, that a trimmed change of the partition can
   * have: 0 when the partition trimmed no change, and absent when the time is unknown.
   */
  Optional<Long> givenUpMicros(int partition);

  /**
   * Figures that know what follows these positions of partitions, also where another process has to
   * be asked. The call may read files, so threads that must not wait do not call. The future does
   * not fail: the figures of a partition that no process answers for, the end of its log included,
   * are {@link #UNKNOWN}.
   */
  default CompletableFuture<LogFigures> about(Map<Integer, Set<Long>> positions) {
    return CompletableFuture.completedFuture(this);
  }

  /** Whether a change after {@code checkpointed}, and up to {@code end}, is no longer kept. */
  default boolean isLost(int partition, long checkpointed, Optional<Long> end) {
    return checkpointed < Math.min(firstPosition(partition) - 1, end.orElse(Long.MAX_VALUE));
  }

  /**
   * A shared log: bounds come from the log's last answers, the rest from this node's replicas.
   *
   * @param hasReplica whether {@code replicas} has read a partition up to its end, whichever node
   *     leads the partition
   */
  record OfSharedLog(KnownBounds bounds, ChangeReader replicas, IntPredicate hasReplica)
      implements LogFigures {

    @Override
    public long committed(int partition) {
      return bounds.last(partition);
    }

    @Override
    public long firstPosition(int partition) {
      return bounds.first(partition);
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return hasReplica.test(partition) ? replicas.bytesAfter(partition, position) : UNKNOWN;
    }

    @Override
    public long commitMicrosAfter(int partition, long position) throws IOException {
      long found = hasReplica.test(partition) ? replicas.commitMicrosAfter(partition, position) : 0;
      // A replica may not have read the newest changes yet.
      return found == 0 && position < bounds.last(partition) ? UNKNOWN : found;
    }

    /** A replica trims changes that the shared log still keeps, so it cannot tell. */
    @Override
    public Optional<Long> givenUpMicros(int partition) {
      return Optional.empty();
    }
  }
}
