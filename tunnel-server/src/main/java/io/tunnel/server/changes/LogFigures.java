package io.tunnel.server.changes;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.IntToLongFunction;

/** What descriptions of tunnels say of the log. May be asked by any thread. */
public interface LogFigures {

  /** What this server cannot know. */
  long UNKNOWN = -1;

  /** Rows of a partition that are counted one by one; how many there are beyond is estimated. */
  long COUNTED_ROWS_MAX = 10_000;

  /** Position of the newest change, or record, that is committed. */
  long committed(int partition);

  /** Position from which on all changes are kept. */
  long firstPosition(int partition);

  /** Bytes of the batches that hold changes behind {@code position}, or {@link #UNKNOWN}. */
  long bytesAfter(int partition, long position);

  /**
   * Commit time in microseconds since 1970 of the change behind {@code position}; 0 when there is
   * none, or {@link #UNKNOWN}.
   */
  long commitMicrosAfter(int partition, long position) throws IOException;

  /**
   * No change of a partition that was given up was committed later, in microseconds since 1970; 0
   * when none was given up, or {@link #UNKNOWN}.
   */
  long givenUpMicros(int partition);

  /** Whether a change behind {@code checkpointed}, and up to {@code end}, is no longer kept. */
  default boolean isLost(int partition, long checkpointed, Optional<Long> end) {
    return checkpointed < Math.min(firstPosition(partition) - 1, end.orElse(Long.MAX_VALUE));
  }

  /** About how many rows a partition has, or {@link #UNKNOWN}. */
  default long rows(int partition) {
    return UNKNOWN;
  }

  /** These figures, and what {@code rows} says of rows. */
  default LogFigures withRows(IntToLongFunction rows) {
    return new WithRows(this, rows);
  }

  /** Those of a server's own log. */
  static LogFigures of(ChangeReader changes) {
    return new Own(changes);
  }

  /** Those of a shared log, and of the replicas that this node has of its partitions. */
  static LogFigures of(KnownBounds bounds, ChangeReader replicas, IntPredicate hasReplica) {
    return new Shared(bounds, replicas, hasReplica);
  }

  /** A server's own log. */
  record Own(ChangeReader changes) implements LogFigures {

    @Override
    public long committed(int partition) {
      return changes.committed(partition);
    }

    @Override
    public long firstPosition(int partition) {
      return changes.firstPosition(partition);
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return changes.bytesAfter(partition, position);
    }

    @Override
    public long commitMicrosAfter(int partition, long position) throws IOException {
      return changes.commitMicrosAfter(partition, position);
    }

    @Override
    public long givenUpMicros(int partition) {
      return changes.givenUpMicros(partition).orElse(UNKNOWN);
    }
  }

  /** A shared log with replicas of some partitions. */
  record Shared(KnownBounds bounds, ChangeReader replicas, IntPredicate hasReplica)
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

    /** What a replica gives up of its own is still in the shared log. */
    @Override
    public long givenUpMicros(int partition) {
      return UNKNOWN;
    }
  }

  /** The figures of a log, and of rows. */
  record WithRows(LogFigures log, IntToLongFunction rowsOf) implements LogFigures {

    @Override
    public long committed(int partition) {
      return log.committed(partition);
    }

    @Override
    public long firstPosition(int partition) {
      return log.firstPosition(partition);
    }

    @Override
    public long bytesAfter(int partition, long position) {
      return log.bytesAfter(partition, position);
    }

    @Override
    public long commitMicrosAfter(int partition, long position) throws IOException {
      return log.commitMicrosAfter(partition, position);
    }

    @Override
    public long givenUpMicros(int partition) {
      return log.givenUpMicros(partition);
    }

    @Override
    public long rows(int partition) {
      return rowsOf.applyAsLong(partition);
    }
  }
}
