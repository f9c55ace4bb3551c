package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowState.Stretch;
import java.util.ArrayList;
import java.util.List;

/**
 * Says which records of a log of appends count: a function of the log alone, so every replica comes
 * to the same answer.
 *
 * <p>A node that wants to lead appends a marker; the marker's offset is the epoch of the node's
 * records. <em>A record counts if it carries the newest marker, and its number and its first
 * position are the next ones.</em> The first record of the newest epoch that does not count ends
 * the epoch: a leader whose append was lost, doubled or overtaken begins a new epoch. So of each
 * append all or nothing counts, the positions of what counts are dense, and two readers agree on
 * every prefix of the log. A record without changes takes no position, so its number orders it.
 */
final class FollowCore {

  /** Epochs that are remembered. The oldest are forgotten first. */
  static final int STRETCHES_MAX = 1_024;

  /** What a record means. */
  public enum Verdict {
    /** A new epoch begins. */
    MARKER,
    /** The record counts. */
    COUNTS,
    /** The record carries the newest marker and does not count: the epoch has ended. */
    ENDS_EPOCH,
    /** The record does not count. */
    FENCED,
    /** The record was read before. */
    SEEN
  }

  private final List<Stretch> stretches;
  private long next;
  private long position;
  private long number;
  private boolean hasBegun;
  private long snapshot;
  private long snapshotBefore;

  /** A reader that resumes where it was. */
  public FollowCore(FollowState state) {
    next = state.next();
    position = state.position();
    number = state.number();
    hasBegun = state.hasBegun();
    snapshot = state.snapshot();
    snapshotBefore = state.snapshotBefore();
    stretches = new ArrayList<>(state.stretches());
  }

  /** What has to be remembered. */
  public FollowState state() {
    return new FollowState(next, position, number, hasBegun, snapshot, snapshotBefore, stretches);
  }

  /** The offset of the next record to read. */
  public long next() {
    return next;
  }

  /** The position of the next change. */
  public long position() {
    return position;
  }

  /** The number of the last record of the newest epoch that counts; 0 before one counts. */
  public long number() {
    return number;
  }

  /** The offset of the newest snapshot's record; {@link AppendHeader#NO_SNAPSHOT} without one. */
  public long snapshot() {
    return snapshot;
  }

  /** Takes the record at {@code offset}. */
  public Verdict read(long offset, AppendHeader header) {
    if (offset < next) {
      return Verdict.SEEN;
    }
    if (header.kind() == Kind.MARKER) {
      begin(offset, header);
      return Verdict.MARKER;
    }
    next = offset + 1;
    if (stretches.isEmpty() || !newest().has(header) || !newest().isOpen()) {
      return Verdict.FENCED;
    }
    if (!isNext(header)) {
      end(offset);
      return Verdict.ENDS_EPOCH;
    }
    count(offset, header);
    return Verdict.COUNTS;
  }

  /** The newest epoch; a marker was read. */
  Stretch newest() {
    return stretches.get(stretches.size() - 1);
  }

  private void begin(long offset, AppendHeader marker) {
    long incarnation = marker.number();
    if (!stretches.isEmpty()) {
      end(offset);
      // A clock that lags gives no incarnation again.
      incarnation = Math.max(incarnation, newest().incarnation() + 1);
    }
    stretches.add(new Stretch(offset, marker.marker(), incarnation, position, Stretch.OPEN));
    if (stretches.size() > STRETCHES_MAX) {
      stretches.remove(0);
    }
    next = offset + 1;
    number = 0;
  }

  private void end(long offset) {
    stretches.set(stretches.size() - 1, newest().endedAt(offset));
  }

  private boolean isNext(AppendHeader header) {
    boolean isNextPosition =
        header.kind() == Kind.BEGIN
            ? !hasBegun && header.first() >= position
            : header.first() == position;
    return header.number() == number + 1 && isNextPosition;
  }

  private void count(long offset, AppendHeader header) {
    next = offset + 1;
    number = header.number();
    position = header.first() + header.changes();
    hasBegun |= header.kind() != Kind.BEGIN;
    if (header.kind() == Kind.SNAPSHOT) {
      snapshotBefore = snapshot;
      snapshot = offset;
    }
  }

  /**
   * The leader's own record was acknowledged at the next offset: nothing lies between what was read
   * and the record.
   *
   * @throws IllegalStateException when the record would not count there
   */
  void acknowledged(AppendHeader header) {
    if (!newest().has(header) || !newest().isOpen() || !isNext(header)) {
      throw new IllegalStateException(header + " does not count at offset " + next);
    }
    count(next, header);
  }

  /** The log has no record of a leader before {@code offset} that was not read. */
  void skipped(long offset) {
    next = Math.max(next, offset);
  }

  /**
   * Whether a record before {@link #next} counts, for a reader that searched for the record and
   * knows no more than its header. False where the epoch is forgotten.
   */
  public boolean hasCounted(long offset, AppendHeader header) {
    return FollowState.hasCounted(next, stretches, offset, header);
  }

  /** The log has nothing before {@code offset} any more: forgets epochs that ended before. */
  public void trimmed(long offset) {
    stretches.removeIf(each -> each.end() <= offset);
  }
}
