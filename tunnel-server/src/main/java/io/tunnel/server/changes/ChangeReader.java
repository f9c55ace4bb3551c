package io.tunnel.server.changes;

import java.io.IOException;

/** Reads the committed changes of partitions, in order. Safe for use by any thread. */
public interface ChangeReader extends LogFigures {

  /**
   * Locates the committed changes from {@code position} on: complete batches, at least one if there
   * is any, and no more than {@code bytesMax} bytes beyond the first. An {@linkplain
   * Extents#isAwaited awaited} result means that the changes are being fetched; the partition's
   * listeners are called when they have arrived.
   *
   * @throws io.tunnel.model.RefusedException HISTORY_LOST when {@code position} is no longer kept
   */
  Extents plan(int partition, long position, int bytesMax);

  /**
   * Position of the oldest change that is kept, also where another log than this server's own keeps
   * the change; one over {@link #committed} when there is none.
   */
  default long firstKeptPosition(int partition) {
    return firstPosition(partition);
  }

  /**
   * Position of the last change committed before {@code epochMicros}, in microseconds since 1970;
   * one under {@link #firstPosition} when no kept change is that old.
   */
  long positionBefore(int partition, long epochMicros) throws IOException;

  /** Calls {@code listener} for every commit from now on. */
  void subscribe(int partition, CommitListener listener);

  /** Stops calling {@code listener}. */
  void unsubscribe(int partition, CommitListener listener);

  /**
   * Hears that a partition has new committed changes; called on the committing thread, so it must
   * return at once.
   */
  @FunctionalInterface
  public interface CommitListener {

    /** All changes up to {@code position} are committed, or all positions up to it are settled. */
    void committed(int partition, long position);
  }
}
