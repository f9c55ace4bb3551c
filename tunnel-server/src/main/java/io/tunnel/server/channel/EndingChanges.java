package io.tunnel.server.channel;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The changes that were committed before a moment. A channel that ends then reads through this
 * until its end is known, so that it does not run past it in the time that it takes to find it. For
 * one channel, and so for one partition and one thread.
 */
final class EndingChanges implements ChangeReader {

  private final ChangeReader changes;
  private final long endMicros;

  /** What was committed at the last look, and what of it is shown. */
  private long looked;

  private long shown;

  /** A change was found that does not belong: nothing behind it will. */
  private boolean hasPassed;

  private EndingChanges(ChangeReader changes, long endMicros) {
    this.changes = changes;
    this.endMicros = endMicros;
  }

  /** What a tunnel that ends at {@code endMs} may see of {@code changes}; all, without an end. */
  static ChangeReader of(Optional<Long> endMs, ChangeReader changes) {
    return endMs
        .<ChangeReader>map(ms -> new EndingChanges(changes, TimeUnit.MILLISECONDS.toMicros(ms)))
        .orElse(changes);
  }

  @Override
  public long committed(int partition) {
    long committed = changes.committed(partition);
    if (!hasPassed && committed > looked) {
      try {
        shown = before(partition, committed);
      } catch (IOException e) {
        throw new RefusedException(
            ErrorCode.STORAGE_FAILED, "cannot read the log: " + e.getMessage());
      }
      looked = committed;
      hasPassed = shown < committed;
    }
    return shown;
  }

  /** What is not shown yet is not said to be empty either. */
  @Override
  public long settled(int partition) {
    return hasPassed ? shown : changes.settled(partition);
  }

  /**
   * What the clock says does not count: it may have been set back behind the times of changes. As
   * these never fall, mostly one look at the newest change tells that all belong. Where the end is
   * older than the log's oldest change, older ones may still be read from elsewhere, and nobody
   * here can say which belong: no more is shown until the end is known.
   */
  private long before(int partition, long committed) throws IOException {
    long newestMicros = changes.commitMicrosAfter(partition, committed - 1);
    if (newestMicros > 0 && newestMicros < endMicros) {
      return committed;
    }
    long last = changes.positionBefore(partition, endMicros);
    boolean isOlder = newestMicros > 0 && last < changes.firstPosition(partition);
    return isOlder ? shown : Math.min(committed, last);
  }

  @Override
  public long firstPosition(int partition) {
    return changes.firstPosition(partition);
  }

  @Override
  public Extents plan(int partition, long position, int bytesMax) {
    return changes.plan(partition, position, bytesMax).upTo(committed(partition));
  }

  @Override
  public long bytesAfter(int partition, long position) {
    return changes.bytesAfter(partition, position);
  }

  @Override
  public long commitMicrosAfter(int partition, long position) throws IOException {
    return changes.commitMicrosAfter(partition, position);
  }

  @Override
  public long positionBefore(int partition, long epochMicros) throws IOException {
    return changes.positionBefore(partition, Math.min(epochMicros, endMicros));
  }

  @Override
  public Optional<Long> givenUpMicros(int partition) {
    return changes.givenUpMicros(partition);
  }

  @Override
  public void subscribe(int partition, CommitListener listener) {
    changes.subscribe(partition, listener);
  }

  @Override
  public void unsubscribe(int partition, CommitListener listener) {
    changes.unsubscribe(partition, listener);
  }
}
