package io.tunnel.server.replica.shared;

/**
 * Knows up to which moment a replica has read everything, as far as that is certain: the end of the
 * log was asked for then, and the replica has read to it since.
 *
 * <p>A log keeps a deletion for a while after it has compacted what is deleted, and then forgets
 * it. A replica that was fresh less than that ago has seen all that may be forgotten; a replica
 * that was not, and finds that something is missing in front of it, may have rows that no other
 * replica has.
 */
final class FreshCore {

  /** What is stored may be that much older than what is known, as a part of what is allowed. */
  private static final int STORED_PARTS = 8;

  private long freshMicros;
  private long storedMicros;
  private long aim = -1;
  private long aimMicros;

  /** A replica that had read the whole log at {@code freshMicros}, or began empty. */
  FreshCore(long freshMicros) {
    this.freshMicros = freshMicros;
    this.storedMicros = freshMicros;
  }

  /** The log's end was {@code end} at {@code askedMicros} or later. */
  void sawEnd(long end, long askedMicros, long next) {
    if (next >= end) {
      freshMicros = Math.max(freshMicros, askedMicros);
    } else if (aim < 0) {
      // Not the newest: a replica that is always a little behind would never be there.
      aim = end;
      aimMicros = askedMicros;
    }
  }

  /** The replica will read {@code next} next. */
  void read(long next) {
    if (aim >= 0 && next >= aim) {
      freshMicros = Math.max(freshMicros, aimMicros);
      aim = -1;
    }
  }

  /**
   * Whether deletions in what is missing, as was found at {@code nowMicros}, may be forgotten.
   *
   * @param keptMicros how long the log keeps deletions; {@link Long#MAX_VALUE} for ever
   */
  boolean mayHaveMissedDeletions(long nowMicros, long keptMicros) {
    return nowMicros - freshMicros > keptMicros;
  }

  /** Whether what is stored is too old, though nothing was read. */
  boolean isToStore(long keptMicros) {
    return freshMicros - storedMicros > keptMicros / STORED_PARTS;
  }

  /** What is to be stored now. */
  long store() {
    storedMicros = freshMicros;
    return freshMicros;
  }
}
