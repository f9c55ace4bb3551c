package io.tunnel.server.replica;

import io.tunnel.server.replica.SharedLog.Kind;
import io.tunnel.server.replica.SharedLog.Stored;
import java.util.ArrayList;
import java.util.List;

/**
 * What counts in the part of a log that a copy has read without a gap, in so few words that they
 * can be kept for ever: from where on which epoch was the newest, and where it was broken. A copy
 * that comes back to that part needs neither the records before nor their sequences to judge a
 * record.
 *
 * <p>The part begins at the log's first record, or where the copy knew the epoch again behind a
 * hole: at a marker, or where the copy became whole. The next hole ends it, and all is forgotten:
 * what lies before a hole is of no use to a reader, who could not go past it.
 *
 * @param barrier nothing before this position is known, whatever was read: it is of another log
 * @param reigns rising; at most {@link #REIGNS_MAX}, the oldest are forgotten
 */
record Reigns(long barrier, List<Reign> reigns) {

  /** Each change of leadership begins one. */
  static final int REIGNS_MAX = 1_024;

  /**
   * A stretch of the log in which one epoch is the newest.
   *
   * @param from the offset at which it begins, or behind which it is known
   * @param epoch -1 before the first marker
   * @param brokenAt from this offset on nothing of the epoch counts
   */
  record Reign(long from, long epoch, long brokenAt) {
    /** Refuses what no log can have. */
    Reign {
      if (from < 0 || epoch < -1 || epoch > from || brokenAt < from) {
        throw new IllegalArgumentException(
            "epoch " + epoch + " from " + from + ", broken at " + brokenAt);
      }
    }
  }

  /** A copy that begins with the first record of a log. */
  static final Reigns START = begin(0);

  /** A copy that does not know anything. */
  static final Reigns NONE = new Reigns(0, List.of());

  /** Refuses what is not in order. */
  Reigns {
    reigns = List.copyOf(reigns);
    if (barrier < 0 || reigns.size() > REIGNS_MAX) {
      throw new IllegalArgumentException(reigns.size() + " reigns behind " + barrier);
    }
    for (int i = 1; i < reigns.size(); i++) {
      if (reigns.get(i).from() <= reigns.get(i - 1).from()) {
        throw new IllegalArgumentException(reigns.get(i) + " behind " + reigns.get(i - 1));
      }
    }
  }

  /** The epochs of a copy that begins with the first record of a log again. */
  static Reigns begin(long barrier) {
    return new Reigns(barrier, List.of(new Reign(0, -1, Long.MAX_VALUE)));
  }

  /**
   * The position from which on it is known what counts; {@link Long#MAX_VALUE} if there is none.
   */
  long from() {
    return reigns.isEmpty() ? Long.MAX_VALUE : Math.max(barrier, reigns.get(0).from());
  }

  /** Records are missing in front of what is read next. */
  Reigns skipped() {
    return reigns.isEmpty() ? this : new Reigns(barrier, List.of());
  }

  /** What is known when {@code core} has read {@code record}, behind which there was no hole. */
  Reigns read(Stored record, ReplicaCore core) {
    long offset = record.offset();
    if (record.entry().kind() == Kind.MARKER) {
      return with(new Reign(offset, offset, Long.MAX_VALUE));
    }
    if (reigns.isEmpty() && core.wholeFrom() > offset) {
      return this;
    }
    long brokenAt = core.isBroken() ? offset : Long.MAX_VALUE;
    int last = reigns.size() - 1;
    if (last < 0 && core.epoch() == offset - 1) {
      // Only its marker can lie there, which is gone and was no change.
      return with(new Reign(core.epoch(), core.epoch(), brokenAt));
    }
    if (last < 0 || reigns.get(last).epoch() != core.epoch()) {
      return with(new Reign(offset, core.epoch(), brokenAt));
    }
    if (brokenAt >= reigns.get(last).brokenAt()) {
      return this;
    }
    List<Reign> next = new ArrayList<>(reigns);
    next.set(last, new Reign(next.get(last).from(), core.epoch(), brokenAt));
    return new Reigns(barrier, next);
  }

  private Reigns with(Reign begun) {
    List<Reign> next = new ArrayList<>(reigns);
    if (!next.isEmpty() && next.get(next.size() - 1).from() == begun.from()) {
      next.remove(next.size() - 1);
    }
    next.add(begun);
    return new Reigns(barrier, next.subList(Math.max(0, next.size() - REIGNS_MAX), next.size()));
  }

  /** Whether a record of the known part is a change, or a repair, that counts. */
  boolean counts(Stored record) {
    int found = indexOf(record.offset());
    if (found < 0 || record.entry().kind() == Kind.MARKER) {
      return false;
    }
    Reign reign = reigns.get(found);
    return record.entry().epoch() == reign.epoch() && record.offset() < reign.brokenAt();
  }

  /** Whether the record at {@code offset} is known to be a marker, which is no change. */
  boolean isMarker(long offset) {
    int found = indexOf(offset);
    return found >= 0 && reigns.get(found).epoch() == offset;
  }

  /** The last one that begins at {@code offset} or before; -1 when there is none. */
  private int indexOf(long offset) {
    int low = 0;
    int high = reigns.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (reigns.get(middle).from() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
