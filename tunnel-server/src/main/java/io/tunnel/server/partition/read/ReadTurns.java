package io.tunnel.server.partition.read;

import java.util.concurrent.Executor;

/** Where reads of rows wait until it is their turn. */
@FunctionalInterface
public interface ReadTurns {

  /** Turns in which all readers' reads are given to {@code readers} at once. */
  static ReadTurns of(Executor readers) {
    return (asker, read) -> readers.execute(read);
  }

  /** A source of reads, such as a channel; the reads of one asker run one after the other. */
  interface Asker {

    /**
     * Whether the asker has capacity for an answer; no other read of the asker runs during this
     * call. After true a read begins, and {@link #answered} ends the read.
     */
    boolean takesAnswers();

    /** The owner of the asker: owners take turns, and the askers of one owner take turns. */
    default Object owner() {
      return this;
    }

    /** Tells the asker that a read has ended and has given its answer. */
    default void answered() {}
  }

  /** An asker that always has capacity for an answer. */
  Asker ANYBODY = () -> true;

  /**
   * Runs {@code read} when it is the turn of {@code asker}.
   *
   * @throws java.util.concurrent.RejectedExecutionException when too many reads wait
   */
  void execute(Asker asker, Runnable read);

  /** An asker takes answers again. */
  default void wake(Asker asker) {}

  /** An asker is gone: its reads that wait are dropped. */
  default void forget(Asker asker) {}
}
