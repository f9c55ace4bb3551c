package io.tunnel.server.session;

import io.tunnel.model.RefusedException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** The parts of the server that a coordinator uses. */
public interface Surroundings {

  /** Nanoseconds from an arbitrary time; never goes back. */
  long nanos();

  /** Microseconds since 1970; may be set back. */
  long epochMicros();

  /** A time, in microseconds since 1970, that has certainly passed. */
  default long passedMicros() {
    return epochMicros();
  }

  /**
   * Milliseconds of silence after which a second node may have taken this node's place; 0 on a
   * single server.
   */
  default long silenceMs() {
    return 0;
  }

  /**
   * HOST:PORT of the node that serves a partition, as far as known; empty when it is this server or
   * unknown.
   */
  default Optional<String> leader(int partition) {
    return Optional.empty();
  }

  /** Runs {@code action} on the control thread, later. */
  void control(Runnable action);

  /**
   * Runs {@code then} on the control thread when all changes of a partition that are being written
   * are committed. A server that stamps commit times stamps no later change of the partition before
   * {@code passedMicros}, even if its clock is set back: so decisions about the changes before that
   * time stay right until the server ends.
   *
   * @param passedMicros a time that the clock has shown, in microseconds since 1970
   */
  void passBarrier(int partition, long passedMicros, Runnable then);

  /**
   * Keeps the rows of {@code partitions} for a tunnel as they are at one time, then calls {@code
   * whenKept} on the control thread.
   */
  void keepRows(String tunnelId, Collection<Integer> partitions, RowsKept whenKept);

  /** A channel's progress was rolled back, because its changes were lost. */
  default void tookBack() {}

  /** Forgets the rows that were kept for a tunnel; idempotent. */
  void forgetRows(String tunnelId);

  /** Forgets the rows that were kept for one partition. */
  void forgetRows(String tunnelId, int partition);

  /** The outcome of {@link #keepRows}. */
  interface RowsKept {

    /** The rows of each partition are kept as they were at its committed position. */
    void kept(Map<Integer, Long> committed);

    /** As {@link #kept(Map)}, with the incarnations of the positions. */
    default void kept(Map<Integer, Long> committed, Map<Integer, Long> incarnations) {
      kept(committed);
    }

    /** No rows are kept. */
    void failed(RefusedException reason);
  }
}
