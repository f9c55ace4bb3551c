package io.tunnel.server.changes;

import io.tunnel.model.KnownPosition;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Where the logs of partitions begin and end, for those who decide where channels start, end and
 * are moved to. A log of this server answers at once, one that many nodes share later.
 */
public interface LogBounds {

  /**
   * A moment in a partition's log.
   *
   * @param before position in front of the first record committed at or after it
   * @param isPassed whether it is certain that nothing that was committed before it is still to
   *     come
   */
  record Moment(long before, boolean isPassed) {}

  /**
   * A partition's log as it was when it was looked at.
   *
   * @param bounds from the oldest change that is kept with all behind it, which is one over the
   *     last when there is none
   * @param oldestMicros commit time of the oldest change kept, in microseconds since 1970; 0 when
   *     there is none or it is not known
   * @param givenUpMicros no change that is not kept was committed later, in microseconds since
   *     1970; absent when nobody knows
   * @param momentByMicros the moments that were asked for
   * @param shared the last position up to a known one at which the log has what is known of it; the
   *     known one itself when nothing was lost, and absent when nothing was known
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

    /** A moment that was asked for. */
    public Moment moment(long micros) {
      Moment moment = momentByMicros.get(micros);
      if (moment == null) {
        throw new IllegalStateException(
            "moment " + micros + " was not asked for, but " + momentByMicros.keySet());
      }
      return moment;
    }
  }

  /** Is told once, on the control thread, what was seen. */
  interface Looked {

    /** Each partition that was asked for. */
    void found(Map<Integer, Look> lookByPartition);

    /** The log cannot be read. */
    void failed(Exception reason);
  }

  /** Is told, on the control thread, of each partition once. */
  interface Refreshed {

    /** What is {@linkplain #known} of these partitions is not older than the question. */
    void fresh(Set<Integer> partitions);

    /** The log of this partition cannot be read. */
    void failed(int partition, Exception reason);
  }

  /**
   * Looks at the logs of partitions as they are from now on; to be called on the control thread,
   * where {@code looked} is told before this returns if nobody else has to be asked.
   *
   * @param momentsMicros moments in microseconds since 1970
   * @param known what was seen of some of the partitions before
   */
  void look(
      Collection<Integer> partitions,
      Set<Long> momentsMicros,
      Map<Integer, KnownPosition> known,
      Looked looked);

  /** Looks at logs of which nothing is known. */
  default void look(Collection<Integer> partitions, Set<Long> momentsMicros, Looked looked) {
    look(partitions, momentsMicros, Map.of(), looked);
  }

  /**
   * The incarnation of all positions that channels of a partition have, where these are taken back
   * before anybody is served; elsewhere each has its own, and a look tells that of the log.
   */
  Optional<Long> incarnation(int partition);

  /** Position up to which there is something in a log, as far as is known without a look. */
  long known(int partition);

  /**
   * Asks where logs end, each for itself: a log that cannot be read leaves the others alone. To be
   * called on the control thread, where {@code refreshed} is told before this returns if nobody
   * else has to be asked; of partitions whose answers come together it is told together.
   */
  void refresh(Collection<Integer> partitions, Refreshed refreshed);

  /** A hint: what is known of these should be fresh. To be called a few times a second. */
  void keepFresh(Set<Integer> partitions, long nowNanos);

  /** The logs of this server, if nobody wants to know their incarnations. */
  static LogBounds of(ChangeReader changes) {
    return of(changes, Incarnations.none());
  }

  /** The logs of this server. */
  static LogBounds of(ChangeReader changes, Incarnations incarnations) {
    return new LocalLogBounds(changes, incarnations);
  }

  /** The logs of this server. */
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
      // Last: what was given up before the bounds were seen is known then.
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
    public void keepFresh(Set<Integer> partitions, long nowNanos) {
      // It always is.
    }
  }
}
