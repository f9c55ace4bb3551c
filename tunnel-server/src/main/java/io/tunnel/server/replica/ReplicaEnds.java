package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;

/**
 * What a replica knows of the log that it reads: which one that is, where it ends, whether it still
 * has the record that the replica reads next, and when it last confirmed what the replica has. For
 * the shard's thread, but for {@link #word}.
 */
final class ReplicaEnds {

  private final FreshCore fresh;
  private final LastWordCore word = new LastWordCore();

  /** Empty as long as it is not known. */
  private Bytes origin;

  /** As last seen, and at least what was read; -1 when it was not seen yet. */
  private long end = -1;

  /** As first seen: a replica that has read to it has read what there was when it began; or -1. */
  private long startEnd = -1;

  /** Where the log begins that does not have the record to be read next; -1 while it has it. */
  private long lostFirst = -1;

  private long lostMicros;

  ReplicaEnds(Bytes origin, long freshMicros) {
    this.origin = origin;
    this.fresh = new FreshCore(freshMicros);
  }

  Bytes origin() {
    return origin;
  }

  long end() {
    return end;
  }

  long startEnd() {
    return startEnd;
  }

  long lostFirst() {
    return lostFirst;
  }

  FreshCore fresh() {
    return fresh;
  }

  LastWordCore word() {
    return word;
  }

  /**
   * Whether a log that ends there is the one that this is a replica of; if not, all of it has to be
   * made again.
   */
  boolean isOf(SharedLog.End seen) {
    return origin.length() == 0 || origin.equals(seen.origin());
  }

  /**
   * The log of this replica ends there, which will read {@code next} next.
   *
   * @return whether that is to be stored though nothing was read
   */
  boolean saw(ReplicaTask.End asked, SharedLog.End seen, long next, long keptMicros) {
    end = Math.max(seen.offset(), next);
    fresh.sawEnd(seen.offset(), asked.askedMicros(), next);
    word.sawEnd(seen.offset(), asked.askedNanos(), next);
    boolean isNews = origin.length() == 0 || fresh.isToStore(keptMicros);
    origin = seen.origin();
    if (startEnd < 0) {
      startEnd = seen.offset();
    }
    return isNews;
  }

  /** The replica will read {@code next} next. */
  void read(long next) {
    fresh.read(next);
    word.read(next);
  }

  /** The end is not before {@code next}, if it was seen. */
  void atLeast(long next) {
    end = Math.max(end, startEnd >= 0 ? next : -1);
  }

  /** Whether a replica that reads {@code next} next has read what there was when it began. */
  boolean isReadTo(long next) {
    return startEnd >= 0 && next >= startEnd;
  }

  /** Whether nothing has to be asked for. */
  boolean isKnown() {
    return startEnd >= 0 && lostFirst < 0;
  }

  /** The log has no record where the replica goes on, and begins at {@code first}. */
  void lose(long first, long nowMicros) {
    lostFirst = first;
    lostMicros = nowMicros;
  }

  boolean isLost() {
    return lostFirst >= 0;
  }

  /** Whether it has lost its place in the log, and that before {@code askedMicros}. */
  boolean isLostBefore(long askedMicros) {
    return isLost() && lostMicros <= askedMicros;
  }
}
