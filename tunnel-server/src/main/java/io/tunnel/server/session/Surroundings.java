package io.tunnel.server.session;

import io.tunnel.model.RefusedException;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** What the coordinator needs of the server around it. */
public interface Surroundings {

  /** Nanoseconds from an arbitrary moment; never goes back. */
  long nanos();

  /** Microseconds since 1970; may be set back. */
  long epochMicros();

  /**
   * When this node has said nothing for so many milliseconds, another one may have taken its place;
   * 0 when there is no other.
   */
  default long silenceMs() {
    return 0;
  }

  /**
   * HOST:PORT of the node that is said to serve a partition; empty when it is this server, or when
   * nobody is known.
   */
  default Optional<String> leader(int partition) {
    return Optional.empty();
  }

  /** Runs {@code action} on the control thread, later. */
  void control(Runnable action);

  /**
   * Runs {@code then} on the control thread when everything that was being written to a partition
   * is committed. A server that gives changes their commit times gives none of the partition's
   * later changes one before {@code passedMicros}, also when its clock is set back: what is decided
   * about the changes before that moment stays right until the server ends.
   *
   * @param passedMicros a moment that the clock has shown, in microseconds since 1970
   */
  void passBarrier(int partition, long passedMicros, Runnable then);

  /**
   * Keeps the rows of {@code partitions} for a tunnel as they are at one moment, and then tells, on
   * the control thread.
   */
  void keepRows(String tunnelId, Collection<Integer> partitions, Kept whenKept);

  /** The progress of a channel was taken back, because the log had lost what it was of. */
  default void tookBack() {}

  /** The rows that were kept for a tunnel are not needed any more; idempotent. */
  void forgetRows(String tunnelId);

  /** Forgets the rows that were kept for one partition. */
  void forgetRows(String tunnelId, int partition);

  /** Is told what became of {@link #keepRows}. */
  interface Kept {

    /** The rows of each partition are kept as they were when this was its committed position. */
    void kept(Map<Integer, Long> committed);

    /** As {@link #kept(Map)}, where the incarnations of these positions are known. */
    default void kept(Map<Integer, Long> committed, Map<Integer, Long> incarnations) {
      kept(committed);
    }

    /** Nothing is kept. */
    void failed(RefusedException reason);
  }
}
