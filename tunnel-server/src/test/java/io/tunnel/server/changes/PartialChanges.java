package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** Changes of a log of which the first may be lost, or have to be fetched. */
public final class PartialChanges implements ChangeReader {

  private final ChangeReader log;
  private long firstKept;
  private CommitListener listener;
  private boolean isFetching;
  private final Queue<Extents> planned = new ArrayDeque<>();

  /** The changes of {@code log}. */
  public PartialChanges(ChangeReader log) {
    this.log = log;
  }

  /** What is before {@code position} is not known any more. */
  public void forgetBefore(long position) {
    firstKept = position;
  }

  /** What is asked for has to be fetched first, until it is said to be there. */
  public void fetch(int partition, boolean isToBeFetched) {
    isFetching = isToBeFetched;
    if (!isFetching && listener != null) {
      listener.committed(partition, log.committed(partition));
    }
  }

  /** Returns these extents from a plan, one after the other, for any position. */
  public void planNext(Extents next) {
    planned.add(next);
  }

  /** Whether anybody is told of commits. */
  public boolean hasListener() {
    return listener != null;
  }

  @Override
  public long committed(int partition) {
    return log.committed(partition);
  }

  @Override
  public long firstPosition(int partition) {
    return Math.max(firstKept, log.firstPosition(partition));
  }

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    if (position < firstKept) {
      throw new RefusedException(ErrorCode.HISTORY_LOST, "kept from " + firstKept + " on");
    }
    if (isFetching) {
      return Extents.awaited();
    }
    if (!planned.isEmpty()) {
      return planned.remove();
    }
    return log.plan(partition, position, bytesMax);
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
  public long positionBefore(int partition, long epochMicros) throws IOException {
    return log.positionBefore(partition, epochMicros);
  }

  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return log.givenUpMicros(partition);
  }

  @Override
  public void subscribe(int partition, CommitListener newListener) {
    listener = newListener;
    log.subscribe(partition, newListener);
  }

  @Override
  public void unsubscribe(int partition, CommitListener formerListener) {
    listener = null;
    log.unsubscribe(partition, formerListener);
  }
}
