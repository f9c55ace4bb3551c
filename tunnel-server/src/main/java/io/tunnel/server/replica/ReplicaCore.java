package io.tunnel.server.replica;

import io.tunnel.model.Bytes;
import io.tunnel.server.replica.SharedLog.Entry;
import io.tunnel.server.replica.SharedLog.Kind;
import io.tunnel.server.replica.SharedLog.Stored;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Says what each record of a shared log means, and who leads: a function of the log alone, so that
 * every copy comes to the same answer.
 *
 * <p>Whoever wants to lead appends a marker. Its offset is the epoch of what its writer appends
 * from then on, so no two leaders have the same epoch, and the log itself decides between them:
 * <em>a record counts if its epoch is the newest seen, and its sequence follows that of the record
 * before it</em>. All others are fenced: a leader that was replaced and does not know it may append
 * as much as it likes. What counts of one append is therefore always its beginning, and when a
 * leader has read a later marker, or a gap in its own sequence, it knows for certain that what it
 * has not read back never counts.
 *
 * <p>Compaction does not know fencing. A fenced record hides the true one of its key once both are
 * old, so its key is remembered until something that counts comes behind it, and the leader appends
 * the row as it is as a repair. Where records are compacted away their sequence cannot be checked,
 * and markers may be missing; what is read wrongly there is made right by the repairs behind it,
 * before the copy has read to the end.
 */
final class ReplicaCore {

  /** What a copy does with its partition. */
  enum Role {
    /** Reads. */
    FOLLOWING,
    /** Has appended a marker, or is about to, and reads until it comes. */
    CLAIMING,
    /** Its own marker is the newest: what it appends counts. */
    LEADING
  }

  /** What a record means. */
  enum Verdict {
    /** A change that counts: to be delivered, and to be folded. */
    CHANGE,
    /** To be folded only. */
    REPAIR,
    /** A new epoch begins. */
    MARKER,
    /** It does not count. */
    FENCED,
    /** It was read before. */
    SEEN
  }

  private final NavigableMap<Bytes, Long> unrepaired;
  private long next;
  private long epoch;
  private long sequence;
  private boolean isBroken;
  private long wholeFrom;
  private Role role = Role.FOLLOWING;
  private Optional<Bytes> claim = Optional.empty();
  private long given;

  /** A copy that goes on where it was. */
  ReplicaCore(ReplicaState state) {
    next = state.next();
    epoch = state.epoch();
    sequence = state.sequence();
    isBroken = state.isBroken();
    wholeFrom = state.wholeFrom();
    unrepaired = new TreeMap<>(state.unrepaired());
  }

  /** What has to be remembered. */
  ReplicaState state() {
    return new ReplicaState(next, epoch, sequence, isBroken, wholeFrom, unrepaired);
  }

  /** The offset of the next record to read. */
  long next() {
    return next;
  }

  /** The newest epoch seen; -1 before the first marker. */
  long epoch() {
    return epoch;
  }

  /** Every change from this offset on was read; {@link Long#MAX_VALUE} when there is none yet. */
  long wholeFrom() {
    return wholeFrom;
  }

  Role role() {
    return role;
  }

  /** Keys that the leader has to repair, with the offset of the record that made it so. */
  NavigableMap<Bytes, Long> unrepaired() {
    return unrepaired;
  }

  /** Takes the next record. */
  Verdict read(Stored record) {
    if (record.offset() < next) {
      return Verdict.SEEN;
    }
    boolean followsDirectly = record.offset() == next;
    next = record.offset() + 1;
    Entry entry = record.entry();
    if (entry.kind() == Kind.MARKER) {
      marked(record.offset(), entry.value());
      return Verdict.MARKER;
    }
    if (!counts(entry, followsDirectly)) {
      unrepaired.put(entry.key(), record.offset());
      return Verdict.FENCED;
    }
    unrepaired.remove(entry.key());
    return entry.kind() == Kind.REPAIR ? Verdict.REPAIR : Verdict.CHANGE;
  }

  private void marked(long offset, Optional<Bytes> value) {
    epoch = offset;
    sequence = 0;
    isBroken = false;
    if (role == Role.CLAIMING && value.equals(claim)) {
      role = Role.LEADING;
      given = 0;
    } else if (role == Role.LEADING) {
      role = Role.FOLLOWING;
    }
  }

  private boolean counts(Entry entry, boolean followsDirectly) {
    if (entry.epoch() > epoch) {
      // Its marker was compacted away.
      epoch = entry.epoch();
      sequence = -1;
      isBroken = false;
    }
    if (entry.epoch() < epoch || isBroken) {
      return false;
    }
    boolean isGap = sequence >= 0 && entry.sequence() != sequence + 1;
    if (isGap && followsDirectly) {
      isBroken = true;
      if (role == Role.LEADING) {
        role = Role.FOLLOWING;
      }
      return false;
    }
    sequence = entry.sequence();
    return true;
  }

  /**
   * There is nothing up to {@code offset}.
   *
   * @throws IllegalStateException when more than that was read
   */
  void skipTo(long offset) {
    if (offset < next) {
      throw new IllegalStateException("the log goes back from " + next + " to " + offset);
    }
    if (offset > next && sequence >= 0) {
      // Records that counted may have been among what was compacted away.
      sequence = -1;
    }
    next = offset;
  }

  /** From the next record on, nothing that is read was compacted before it was read. */
  void wholeFromHere() {
    wholeFrom = Math.min(wholeFrom, next);
  }

  /** Changes before {@code offset} are kept no longer by this copy. */
  void forgetBefore(long offset) {
    wholeFrom = Math.max(wholeFrom, offset);
  }

  /** The copy will append a marker of that value, which no other marker has. */
  void claim(Bytes value) {
    role = Role.CLAIMING;
    claim = Optional.of(value);
  }

  /** The copy leads no more, or does not want to. */
  void resign() {
    role = Role.FOLLOWING;
    claim = Optional.empty();
  }

  /**
   * Takes sequences for entries that the leader is about to append.
   *
   * @return the first
   * @throws IllegalStateException when it does not lead, or not all it took before are read back
   */
  long take(int count) {
    if (role != Role.LEADING || given != sequence) {
      throw new IllegalStateException(
          "cannot append while " + role + ", " + (given - sequence) + " entries under way");
    }
    given += count;
    return given - count + 1;
  }

  /** Whether the record that was read last is one that this leader appended and that counts. */
  boolean isOwn(Stored record) {
    return role == Role.LEADING && record.entry().epoch() == epoch && !isBroken;
  }

  /** Whether entries that this leader appended are not read back yet. */
  boolean isAppending() {
    return role == Role.LEADING && given != sequence;
  }
}
