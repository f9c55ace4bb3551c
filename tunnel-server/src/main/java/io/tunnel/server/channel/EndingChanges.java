package io.tunnel.server.channel;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.changes.ChangeReader;
import io.tunnel.server.changes.Extents;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Shows the changes that were committed before a time. A channel that ends at that time reads
 * through this class until its end is found, so that it cannot run past the end during the search.
 * Serves a single channel, and so a single partition and thread.
 */
final class EndingChanges implements ChangeReader {

  private final ChangeReader changes;
  private final long endMicros;

  /** The committed position at the last look; the next field is the part of it that is shown. */
  private long looked;

  private long shown;

  /** Whether a change at or after the time was found: nothing after it is shown. */
  private boolean hasPassed;

  private EndingChanges(ChangeReader changes, long endMicros) {
    this.changes = changes;
    this.endMicros = endMicros;
  }

  /** The part of {@code changes} before {@code endMs}; all of them without an end. */
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

  /**
   * Ignores this server's clock, which may have been set back before commit times. Commit times
   * never fall, so mostly one look at the newest change tells that all changes are before the time.
   * If the time is before the log's oldest change, older changes may come from another log, and
   * this class cannot tell which of them belong: it shows no more until the end is known.
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
