package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks at the logs of partitions, to decide where channels start, end and are moved to. A server's
 * own log answers at once, a shared log later.
 */
public interface LogBounds {

  /**
   * A time in a partition's log.
   *
   * @param before position in front of the first record committed at or after the time
   * @param isPassed whether every record committed before the time is in the log already
   */
  record Moment(long before, boolean isPassed) {}

  /**
   * A partition's log at the time of a look.
   *
   * @param bounds begin and end of the kept changes; the begin is one over the end when there are
   *     none
   * @param oldestMicros commit time of the oldest kept change, in microseconds since 1970; 0
   *     without a kept change or when unknown
   * @param givenUpMicros the latest commit time that a change no longer kept can have, in
   *     microseconds since 1970; absent when unknown
   * @param momentByMicros the times of the question
   * @param shared the last position, up to the known one, at which the log still has the known
   *     records; the known position itself when nothing was lost, and absent when none was known
   */
  record Look(
      Bounds bounds,
      long oldestMicros,
      Optional<Long> givenUpMicros,
      Map<Long, Moment> momentByMicros,
      Optional<Long> shared) {
    /** Copies the map, and refuses null. */
    public Look {
      Objects.requireNonNull(bounds, "bounds");
      Objects.requireNonNull(givenUpMicros, "givenUpMicros");
      momentByMicros = Map.copyOf(momentByMicros);
      Objects.requireNonNull(shared, "shared");
    }

    /** The answer for a time of the question. */
    public Moment moment(long micros) {
      Moment moment = momentByMicros.get(micros);
      if (moment == null) {
        throw new IllegalStateException(
            "time " + micros + " was not asked for, but " + momentByMicros.keySet());
      }
      return moment;
    }
  }

  /** Hears the result of a look once, on the control thread. */
  interface Looked {

    /** The looks at all partitions of the question. */
    void found(Map<Integer, Look> lookByPartition);

    /** The log cannot be read. */
    void failed(Exception reason);
  }

  /** Hears of each partition once, on the control thread. */
  interface Refreshed {

    /** The {@linkplain #known} ends of these partitions are not older than the question. */
    void fresh(Set<Integer> partitions);

    /** The log of this partition cannot be read. */
    void failed(int partition, Exception reason);
  }

  /**
   * Looks at the logs of partitions. For the control thread; calls {@code looked} on it, before
   * this returns if the log is this server's own.
   *
   * @param momentsMicros times in microseconds since 1970
   * @param known earlier known positions of some partitions
   */
  void look(
      Collection<Integer> partitions,
      Set<Long> momentsMicros,
      Map<Integer, KnownPosition> known,
      Looked looked);

  /** Looks at logs without known positions. */
  default void look(Collection<Integer> partitions, Set<Long> momentsMicros, Looked looked) {
    look(partitions, momentsMicros, Map.of(), looked);
  }

  /**
   * The incarnation of all positions of a partition's channels, on a server that moves checkpoints
   * back before a loss before it serves; empty for a shared log, where each position has its own
   * incarnation and a look tells the log's.
   */
  Optional<Long> incarnation(int partition);

  /** Known end of a log, without a look. */
  long known(int partition);

  /**
   * Refreshes the known ends of logs; a failure of one partition does not affect the others. For
   * the control thread; calls {@code refreshed} on it, before this returns if the log is this
   * server's own. Answers that come together are delivered together.
   */
  void refresh(Collection<Integer> partitions, Refreshed refreshed);

  /**
   * A hint that the known ends of these partitions should be fresh; called a few times a second.
   * Asks for the partitions only when it is time to refresh them.
   */
  void keepFresh(Supplier<Set<Integer>> partitions, long nowNanos);

  /** This server's own logs, without incarnations. */
  static LogBounds of(ChangeReader changes) {
    return of(changes, Incarnations.none());
  }

  /** This server's own logs. */
  static LogBounds of(ChangeReader changes, Incarnations incarnations) {
    return new LocalLogBounds(changes, incarnations);
  }

  /** This server's own logs. */
  record LocalLogBounds(ChangeReader changes, Incarnations incarnations) implements LogBounds {

    @Override
    public void look(
        Collection<Integer> partitions,
        Set<Long> momentsMicros,
        Map<Integer, KnownPosition> known,
        Looked looked) {
      Map<Integer, Look> looks = new HashMap<>();
      try {
        for (int partition : partitions) {
          Optional<Long> shared =
              Optional.ofNullable(known.get(partition)).map(one -> shared(partition, one));
          looks.put(partition, look(partition, momentsMicros, shared));
        }
      } catch (IOException e) {
        looked.failed(e);
        return;
      }
      looked.found(looks);
    }

    private long shared(int partition, KnownPosition known) {
      long shared =
          incarnations
              .of(partition)
              .map(history -> history.sharedUpTo(known.incarnation()))
              .orElse(Long.MAX_VALUE);
      return Math.min(known.position(), Math.min(shared, changes.committed(partition)));
    }

    private Look look(int partition, Set<Long> momentsMicros, Optional<Long> shared)
        throws IOException {
      Map<Long, Moment> moments = new HashMap<>();
      for (long micros : momentsMicros) {
        moments.put(micros, new Moment(changes.positionBefore(partition, micros), true));
      }
      long first = changes.firstPosition(partition);
      long oldestMicros = moments.isEmpty() ? 0 : changes.commitMicrosAfter(partition, first - 1);
      Bounds bounds = new Bounds(first, changes.committed(partition));
      // Last: the answer covers all changes trimmed before the bounds were read.
      return new Look(bounds, oldestMicros, changes.givenUpMicros(partition), moments, shared);
    }

    @Override
    public Optional<Long> incarnation(int partition) {
      return incarnations.newest(partition);
    }

    @Override
    public long known(int partition) {
      return changes.committed(partition);
    }

    @Override
    public void refresh(Collection<Integer> partitions, Refreshed refreshed) {
      refreshed.fresh(Set.copyOf(partitions));
    }

    @Override
    public void keepFresh(Supplier<Set<Integer>> partitions, long nowNanos) {
      // A server's own log is always fresh.
    }
  }
}
