package io.tunnel.server.replica.history;

import io.tunnel.server.replica.shared.ReplicaCore;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.ArrayList;
import java.util.List;

/**
 * Which records count in the part of a log that a replica has read without a gap, small enough to
 * keep for ever: the offsets where each epoch became the newest, and where it was broken. A replica
 * that comes back to that part needs neither the records before nor their sequences to judge a
 * record.
 *
 * <p>The part begins at the log's first record, or where the replica knew the epoch again behind a
 * hole: at a marker, or where the replica became whole. The next hole ends it, and all is
 * forgotten: what lies before a hole is of no use to a reader, who could not go past it.
 *
 * @param barrier the history does not cover positions before this one: they belong to a different
 *     log
 * @param stretches rising; at most {@link #STRETCHES_MAX}, the oldest are forgotten
 */
public record EpochHistory(long barrier, List<Stretch> stretches) {

  /** Each change of leadership begins one. */
  public static final int STRETCHES_MAX = 1_024;

  /**
   * A stretch of the log in which one epoch is the newest.
   *
   * @param from the offset at which the stretch begins, or from which the replica knows the epoch
   * @param epoch -1 before the first marker
   * @param brokenAt from this offset on nothing of the epoch counts
   */
  public record Stretch(long from, long epoch, long brokenAt) {
    /** Refuses what no log can have. */
    public Stretch {
      if (from < 0 || epoch < -1 || epoch > from || brokenAt < from) {
        throw new IllegalArgumentException(
            "epoch " + epoch + " from " + from + ", broken at " + brokenAt);
      }
    }
  }

  /** A replica that begins with the first record of a log. */
  public static final EpochHistory START = begin(0);

  /** A replica that does not know anything. */
  public static final EpochHistory NONE = new EpochHistory(0, List.of());

  /** Refuses what is not in order. */
  public EpochHistory {
    stretches = List.copyOf(stretches);
    if (barrier < 0 || stretches.size() > STRETCHES_MAX) {
      throw new IllegalArgumentException(stretches.size() + " stretches behind " + barrier);
    }
    for (int i = 1; i < stretches.size(); i++) {
      if (stretches.get(i).from() <= stretches.get(i - 1).from()) {
        throw new IllegalArgumentException(stretches.get(i) + " behind " + stretches.get(i - 1));
      }
    }
  }

  /** The epochs of a replica that begins with the first record of a log again. */
  public static EpochHistory begin(long barrier) {
    return new EpochHistory(barrier, List.of(new Stretch(0, -1, Long.MAX_VALUE)));
  }

  /** The first position that the history covers; {@link Long#MAX_VALUE} if it covers none. */
  public long from() {
    return stretches.isEmpty() ? Long.MAX_VALUE : Math.max(barrier, stretches.get(0).from());
  }

  /** Records are missing in front of what is read next. */
  public EpochHistory skipped() {
    return stretches.isEmpty() ? this : new EpochHistory(barrier, List.of());
  }

  /** What is known when {@code core} has read {@code record}, behind which there was no hole. */
  public EpochHistory read(Stored record, ReplicaCore core) {
    long offset = record.offset();
    if (record.entry().kind() == Kind.MARKER) {
      return with(new Stretch(offset, offset, Long.MAX_VALUE));
    }
    if (stretches.isEmpty() && core.wholeFrom() > offset) {
      return this;
    }
    long brokenAt = core.isBroken() ? offset : Long.MAX_VALUE;
    int last = stretches.size() - 1;
    if (last < 0 && core.epoch() == offset - 1) {
      // Only its marker can lie there, which is gone and was no change.
      return with(new Stretch(core.epoch(), core.epoch(), brokenAt));
    }
    if (last < 0 || stretches.get(last).epoch() != core.epoch()) {
      return with(new Stretch(offset, core.epoch(), brokenAt));
    }
    if (brokenAt >= stretches.get(last).brokenAt()) {
      return this;
    }
    List<Stretch> next = new ArrayList<>(stretches);
    next.set(last, new Stretch(next.get(last).from(), core.epoch(), brokenAt));
    return new EpochHistory(barrier, next);
  }

  private EpochHistory with(Stretch begun) {
    List<Stretch> next = new ArrayList<>(stretches);
    if (!next.isEmpty() && next.get(next.size() - 1).from() == begun.from()) {
      next.remove(next.size() - 1);
    }
    next.add(begun);
    return new EpochHistory(
        barrier, next.subList(Math.max(0, next.size() - STRETCHES_MAX), next.size()));
  }

  /** Whether a record of the known part is a change, or a repair, that counts. */
  boolean counts(Stored record) {
    int found = indexOf(record.offset());
    if (found < 0 || record.entry().kind() == Kind.MARKER) {
      return false;
    }
    Stretch stretch = stretches.get(found);
    return record.entry().epoch() == stretch.epoch() && record.offset() < stretch.brokenAt();
  }

  /** Whether the record at {@code offset} is known to be a marker, which is no change. */
  boolean isMarker(long offset) {
    int found = indexOf(offset);
    return found >= 0 && stretches.get(found).epoch() == offset;
  }

  /** The last one that begins at {@code offset} or before; -1 when there is none. */
  private int indexOf(long offset) {
    int low = 0;
    int high = stretches.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (stretches.get(middle).from() <= offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }
}
