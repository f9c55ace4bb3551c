package io.tunnel.server.changes;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * What this server knows of the logs of partitions without asking another process: descriptions,
 * metrics and warnings use it. A {@link ChangeReader} knows all figures of its log. Safe for use by
 * any thread.
 */
public interface LogFigures {

  /** Stands for a figure that this server cannot know. */
  long UNKNOWN = -1;

  /** Position of the newest committed change, or record; 0 when there is none. */
  long committed(int partition);

  /** Position of the oldest change that is kept; one over {@link #committed} when there is none. */
  long firstPosition(int partition);

  /** Bytes of the batches that hold changes behind {@code position}, or {@link #UNKNOWN}. */
  long bytesAfter(int partition, long position);

  /**
   * Commit time in microseconds since 1970 of the batch that holds the change behind {@code
   * position}; 0 when there is none, or {@link #UNKNOWN}.
   */
  long commitMicrosAfter(int partition, long position) throws IOException;

  /**
   * The latest commit time, in microseconds since 1970, that a change given up by the partition can
   * have: 0 when the partition gave up no change, and absent when the time is unknown.
   */
  Optional<Long> givenUpMicros(int partition);

  /** Whether a change behind {@code checkpointed}, and up to {@code end}, is no longer kept. */
  default boolean isLost(int partition, long checkpointed, Optional<Long> end) {
    return checkpointed < Math.min(firstPosition(partition) - 1, end.orElse(Long.MAX_VALUE));
  }

  /**
   * A shared log: bounds come from the log's last answers, the rest from this node's replicas.
   *
   * @param hasReplica whether {@code replicas} has a partition
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
      return hasReplica.test(partition) ? replicas.commitMicrosAfter(partition, position) : UNKNOWN;
    }

    /** A replica trims changes that the shared log still keeps, so it cannot tell. */
    @Override
    public Optional<Long> givenUpMicros(int partition) {
      return Optional.empty();
    }
  }
}
