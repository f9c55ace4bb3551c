package io.tunnel.server.changes;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import java.io.IOException;
import java.util.Optional;

/**
 * Changes of a log in which positions need not belong to a change: more of it may be settled than
 * is committed, and the first changes may not be there.
 */
public final class SettledChanges implements ChangeReader {

  private final ChangeReader log;
  private long settled;
  private long gapEnd;
  private long firstKept;
  private long firstHere;
  private CommitListener listener;
  private boolean isFetching;
  private Optional<Extents> planned = Optional.empty();

  /** The changes of {@code log}. */
  public SettledChanges(ChangeReader log) {
    this.log = log;
  }

  /** Nothing but changes is up to {@code position}. */
  public void settle(int partition, long position) {
    settled = position;
    if (listener != null) {
      listener.committed(partition, position);
    }
  }

  /** There is no change up to {@code position}, though the log has some. */
  public void hideUpTo(long position) {
    gapEnd = position;
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

  /** Returns these extents from the next plan, for any position. */
  public void planNext(Extents next) {
    planned = Optional.of(next);
  }

  /** What is before {@code position} is not here, but may be fetched. */
  public void beginAt(long position) {
    firstHere = position;
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
  public long settled(int partition) {
    return Math.max(settled, log.committed(partition));
  }

  @Override
  public long firstPosition(int partition) {
    return Math.max(Math.max(firstKept, firstHere), log.firstPosition(partition));
  }

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    if (position < firstKept) {
      throw new RefusedException(ErrorCode.HISTORY_LOST, "kept from " + firstKept + " on");
    }
    if (isFetching) {
      return Extents.awaited();
    }
    if (planned.isPresent()) {
      Extents next = planned.get();
      planned = Optional.empty();
      return next;
    }
    return log.plan(partition, Math.max(position, gapEnd + 1), bytesMax);
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
