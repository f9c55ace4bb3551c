package io.tunnel.server.partition.read;

import java.util.concurrent.Executor;

/** Where reads of rows wait until it is their turn. */
@FunctionalInterface
public interface ReadTurns {

  /** Turns in which everybody's reads are given to {@code readers} at once. */
  static ReadTurns of(Executor readers) {
    return (asker, read) -> readers.execute(read);
  }

  /** Somebody whose reads come one behind the other. */
  interface Asker {

    /**
     * Whether what is read would be taken; nothing is read for an asker meanwhile. If so, a read is
     * begun, and {@link #answered} ends it.
     */
    boolean takesAnswers();

    /** Whose turn its reads take: owners have turns with each other, and so have their askers. */
    default Object owner() {
      return this;
    }

    /** A read is over, and its answer was given. */
    default void answered() {}
  }

  /** An asker that takes everything. */
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
