package io.tunnel.server.replica.shared;

import io.tunnel.model.value.Bytes;

/**
 * A replica's knowledge of its log: the log's identity and end, whether the log still has the next
 * record to read, and when the log last confirmed the replica. For the shard's thread, except
 * {@link #isUnconfirmed}.
 */
public final class ReplicaEnds {

  private final FreshCore fresh;
  private final LastWordCore word = new LastWordCore();

  /** Empty as long as it is not known. */
  private Bytes origin;

  /** As last seen, and at least what was read; -1 when it was not seen yet. */
  private long end = -1;

  /** The end of the log as first seen, or -1; a replica that has read to this end has caught up. */
  private long startEnd = -1;

  /** The begin of a log that no longer has the next record to read; -1 while the log has it. */
  private long lostFirst = -1;

  private long lostMicros;

  /** A moment by the wall clock, and by one that never goes back. */
  public record Asked(long micros, long nanos) {}

  public ReplicaEnds(Bytes origin, long freshMicros) {
    this.origin = origin;
    this.fresh = new FreshCore(freshMicros);
  }

  public Bytes origin() {
    return origin;
  }

  public long end() {
    return end;
  }

  public long startEnd() {
    return startEnd;
  }

  public long lostFirst() {
    return lostFirst;
  }

  /** Whether deletions in what is missing may be forgotten; see {@link FreshCore}. */
  public boolean mayHaveMissedDeletions(long nowMicros, long keptMicros) {
    return fresh.mayHaveMissedDeletions(nowMicros, keptMicros);
  }

  /** When the replica had certainly read everything, which is to be stored now. */
  public long storeFresh() {
    return fresh.store();
  }

  /** Whether the log's last word is older than that, or there was none; any thread. */
  public boolean isUnconfirmed(long nanosMax, long nowNanos) {
    return word.isOlder(nanosMax, nowNanos);
  }

  /**
   * Whether the log that reported {@code seen} is the log of this replica; if not, the node must
   * rebuild the replica.
   */
  public boolean isOf(SharedLog.End seen) {
    return origin.length() == 0 || origin.equals(seen.origin());
  }

  /**
   * The log of this replica, which will read {@code next} next, ends there.
   *
   * @param asked when the end was asked for
   * @param keptMicros how long the log keeps deletions
   * @return whether that is to be stored though nothing was read
   */
  public boolean saw(SharedLog.End seen, Asked asked, long next, long keptMicros) {
    end = Math.max(seen.offset(), next);
    fresh.sawEnd(seen.offset(), asked.micros(), next);
    word.sawEnd(seen.offset(), asked.nanos(), next);
    boolean isNews = origin.length() == 0 || fresh.isToStore(keptMicros);
    origin = seen.origin();
    if (startEnd < 0) {
      startEnd = seen.offset();
    }
    return isNews;
  }

  /** The replica will read {@code next} next. */
  public void read(long next) {
    fresh.read(next);
    word.read(next);
  }

  /** The end is not before {@code next}, if it was seen. */
  public void atLeast(long next) {
    end = Math.max(end, startEnd >= 0 ? next : -1);
  }

  /** Whether a replica that reads {@code next} next has read what there was when it began. */
  public boolean isReadTo(long next) {
    return startEnd >= 0 && next >= startEnd;
  }

  /** Whether nothing has to be asked for. */
  public boolean isKnown() {
    return startEnd >= 0 && lostFirst < 0;
  }

  /** The log has no record where the replica goes on, and begins at {@code first}. */
  public void lose(long first, long nowMicros) {
    lostFirst = first;
    lostMicros = nowMicros;
  }

  public boolean isLost() {
    return lostFirst >= 0;
  }

  /** Whether it has lost its place in the log, and that before {@code askedMicros}. */
  public boolean isLostBefore(long askedMicros) {
    return isLost() && lostMicros <= askedMicros;
  }
}
