package io.tunnel.server.changes;

import java.io.IOException;

/** Reads the committed changes of partitions, in order. Safe for use by any thread. */
public interface ChangeReader extends LogFigures {

  /**
   * Position up to which it is certain which changes there are: at least {@link #committed}, and
   * more where positions need not belong to a change.
   */
  default long settled(int partition) {
    return committed(partition);
  }

  /**
   * Where the committed changes from {@code position} on stand: whole batches, at least one if
   * there is any, and no more than {@code bytesMax} bytes beyond the first. None although there are
   * some means that they have to be fetched: the listeners of the partition are told when they are
   * there.
   *
   * @throws io.tunnel.model.RefusedException HISTORY_LOST when {@code position} is no longer kept
   */
  Extents plan(int partition, long position, int bytesMax);

  /**
   * Position of the last change committed before the moment {@code epochMicros}, in microseconds
   * since 1970; one under {@link #firstPosition} when no change that is kept is as old.
   */
  long positionBefore(int partition, long epochMicros) throws IOException;

  /** Tells {@code listener} of every commit from now on. */
  void subscribe(int partition, CommitListener listener);

  /** Stops telling it. */
  void unsubscribe(int partition, CommitListener listener);

  /**
   * Is told that a partition has new committed changes, or that more of it is settled, on the
   * thread that committed them: it must only pass it on.
   */
  @FunctionalInterface
  public interface CommitListener {

    /** Everything up to {@code position} is committed, or settled. */
    void committed(int partition, long position);
  }
}
