package io.tunnel.server.replica.shared;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.ReplicaState.Standing;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Says what each record of a shared log means, and who leads: a function of the log alone, so that
 * every replica comes to the same answer.
 *
 * <p>A node that wants to lead appends a marker. Its offset is the epoch of what its writer appends
 * from then on, so no two leaders have the same epoch, and the log itself decides between them:
 * <em>a record counts if its epoch is the newest seen, and its sequence follows that of the record
 * before it</em>. All other records are fenced: the records of a replaced leader that does not know
 * of its successor do no harm. What counts of one append is therefore always its beginning, and
 * when a leader has read a later marker, or a gap in its own sequence, it knows for certain that
 * what it has not read back never counts.
 *
 * <p>A sequence is the number of an append and, in its lower bits, the number of the entry in it. A
 * leader begins an append only after it has read back the whole previous append, which counts. So
 * the first entry of an append follows any sequence, and proves to a replica that could not read
 * the earlier appends that they counted.
 *
 * <p>Compaction does not know fencing. A fenced record hides the true one of its key once both are
 * old, so its key is remembered until something that counts comes behind it, and the leader appends
 * the row as it is as a repair, that of the youngest fenced record first. Where records are
 * compacted away ("a hole"), their sequence cannot be checked and markers may be missing; the
 * repairs behind the hole correct wrong judgements before the replica has read to the end.
 *
 * <p>The rest of an append whose beginning was compacted away, or lost, is a matter of doubt to
 * those who read it behind a hole. If it does not count, something in the hole was a fenced record
 * too, and since that was compacted it is repaired, and so, youngest first, is the rest. The
 * exception is a hole that deletions left which the log has forgotten. So a replica folds a
 * doubtful record and remembers its key for repair. If the record counts, the repair does no harm;
 * if not, this replica's row becomes the row of all replicas when this replica leads. Changes are
 * whole only from the next first entry of an append, or the next marker.
 */
public final class ReplicaCore {

  /** What a replica does with its partition. */
  public enum Role {
    /** Reads. */
    FOLLOWING,
    /** Has appended a marker, or is about to, and reads until it comes. */
    CLAIMING,
    /** Its own marker is the newest: what it appends counts. */
    LEADING
  }

  /** What a record means. */
  public enum Verdict {
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

  /** Entries of one append at most. */
  public static final int APPEND_ENTRIES_MAX = 1 << 20;

  /**
   * By key, the offset of the first record that does not count, or is doubtful, and behind which
   * nothing came that counts; every offset < next.
   */
  private final NavigableMap<Bytes, Long> unrepaired;

  /** Offset of the next record to read; never falls. */
  private long next;

  /** The newest epoch seen, -1 before the first; epoch < next, and it never falls. */
  private long epoch;

  /** What is known of the newest epoch; CERTAIN as long as none was seen. */
  private Standing standing;

  /**
   * Of the last record of the newest epoch that counts; 0 before there is one, and while the
   * standing has a hole. It rises while the epoch stays and no hole comes.
   */
  private long sequence;

  /**
   * Every change from here on that counts was read, and none had been compacted away by then; at
   * most next. {@link Long#MAX_VALUE} while no such offset is known: at first, and from a hole on
   * until the standing is sure and what is read {@link #isYoung}. It need not be the lowest.
   */
  private long wholeFrom;

  /** LEADING only while its own marker is the newest, and the newest epoch is CERTAIN. */
  private Role role = Role.FOLLOWING;

  /** Of the marker that it waits for; there while CLAIMING, and of no interest otherwise. */
  private Optional<Bytes> claim = Optional.empty();

  /**
   * The last sequence taken; while LEADING sequence <= given, and equal when nothing is under way.
   */
  private long given;

  /** Whether {@link #wholeFromHere} was said and no record was skipped since youngFrom. */
  private boolean isYoung;

  /**
   * Where {@link #wholeFromHere} was said last, or where the last hole since ended; at most next.
   */
  private long youngFrom;

  /** A replica that goes on where it was. */
  public ReplicaCore(ReplicaState state) {
    next = state.next();
    epoch = state.epoch();
    standing = state.standing();
    sequence = state.sequence();
    wholeFrom = state.wholeFrom();
    unrepaired = new TreeMap<>(state.unrepaired());
  }

  /** What has to be remembered. */
  public ReplicaState state() {
    return new ReplicaState(next, epoch, standing, sequence, wholeFrom, unrepaired);
  }

  /** The offset of the next record to read. */
  public long next() {
    return next;
  }

  /** The newest epoch seen; -1 before the first marker. */
  public long epoch() {
    return epoch;
  }

  /**
   * Every change from this offset on that counts was read, and none had been compacted away by
   * then; {@link Long#MAX_VALUE} while no such offset is known.
   */
  public long wholeFrom() {
    return wholeFrom;
  }

  /** Whether nothing that comes of the newest epoch counts. */
  public boolean isBroken() {
    return standing.isBroken();
  }

  public Role role() {
    return role;
  }

  /** Keys that the leader has to repair, with the offset of the first record that made it so. */
  public NavigableMap<Bytes, Long> unrepaired() {
    return unrepaired;
  }

  /**
   * The keys to repair in the order in which that has to be done: the youngest first. So when the
   * log may compact a fenced record away, because it is repaired, all behind it are.
   */
  public List<Bytes> keysToRepair() {
    Comparator<Map.Entry<Bytes, Long>> byOffset = Map.Entry.comparingByValue();
    return unrepaired.entrySet().stream()
        .sorted(byOffset.reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Takes the next record. */
  public Verdict read(Stored record) {
    if (record.offset() < next) {
      return Verdict.SEEN;
    }
    Entry entry = record.entry();
    if (entry.kind() == Kind.NEWER) {
      throw new IllegalStateException(
          "record " + record.offset() + " was written by a newer build and must not be judged");
    }
    skipTo(record.offset());
    next = record.offset() + 1;
    if (entry.kind() == Kind.MARKER) {
      marked(record.offset(), entry.value());
      return Verdict.MARKER;
    }
    if (!counts(record.offset(), entry)) {
      unrepaired.putIfAbsent(entry.key(), record.offset());
      return Verdict.FENCED;
    }
    if (standing == Standing.CERTAIN || !isYoung) {
      unrepaired.remove(entry.key());
    } else {
      unrepaired.putIfAbsent(entry.key(), record.offset());
    }
    return entry.kind() == Kind.REPAIR ? Verdict.REPAIR : Verdict.CHANGE;
  }

  /** What is known of the newest epoch is another thing because of the record at that offset. */
  private void move(Standing to, long offset) {
    if (to == standing) {
      return;
    }
    if (!standing.next().contains(to)) {
      throw new IllegalStateException(
          "epoch " + epoch + " cannot go from " + standing + " to " + to + " at " + offset);
    }
    if (to.hasHole()) {
      sequence = 0;
    } else if (to == Standing.CERTAIN && !standing.isSure() && isYoung) {
      wholeFrom = Math.min(wholeFrom, offset);
    }
    standing = to;
  }

  private void marked(long offset, Optional<Bytes> value) {
    epoch = offset;
    move(Standing.CERTAIN, offset);
    sequence = 0;
    if (role == Role.CLAIMING && value.equals(claim)) {
      role = Role.LEADING;
      given = 0;
    } else {
      loseLead();
    }
  }

  private boolean counts(long offset, Entry entry) {
    if (entry.epoch() >= offset) {
      // Not a marker of this log: the writer began to lead in a different log of the same name.
      return false;
    }
    if (entry.sequence() < 0) {
      // No leader writes a negative sequence: a foreign writer has written a header that looks like
      // ours.
      return false;
    }
    if (entry.epoch() > epoch) {
      // Its marker was compacted away.
      epoch = entry.epoch();
      move(Standing.HOLE, offset);
      loseLead();
    }
    if (entry.epoch() < epoch || standing.isBroken()) {
      return false;
    }
    boolean isFirst = entry.sequence() % APPEND_ENTRIES_MAX == 0;
    boolean follows =
        standing == Standing.HOLE
            || entry.sequence() == sequence + 1
            || (isFirst && entry.sequence() > sequence);
    if (!follows) {
      boolean isCertain = standing == Standing.CERTAIN;
      move(isCertain ? Standing.BROKEN : Standing.BROKEN_BEHIND_HOLE, offset);
      loseLead();
      return false;
    }
    if (isFirst) {
      move(Standing.CERTAIN, offset);
    } else if (standing == Standing.HOLE) {
      move(Standing.DOUBTFUL, offset);
    }
    sequence = entry.sequence();
    return true;
  }

  /** What this replica appended under the newest epoch, or what comes of it, does not count now. */
  private void loseLead() {
    if (role == Role.LEADING) {
      role = Role.FOLLOWING;
    }
  }

  /**
   * Skips to {@code offset}: the log has compacted all records before it. A leader stops leading,
   * since it cannot know the compacted records; its entries that it has not read back may count.
   *
   * @throws IllegalStateException when the replica has already read past {@code offset}
   */
  public void skipTo(long offset) {
    if (offset < next) {
      throw new IllegalStateException("the log goes back from " + next + " to " + offset);
    }
    if (offset == next) {
      return;
    }
    move(standing.isBroken() ? Standing.BROKEN_BEHIND_HOLE : Standing.HOLE, next);
    wholeFrom = Long.MAX_VALUE;
    isYoung &= youngFrom == next;
    youngFrom = offset;
    next = offset;
    loseLead();
  }

  /**
   * From the next record on, which may come behind a hole, nothing was compacted before it was
   * read. To be said again and again, whenever it is so.
   */
  public void wholeFromHere() {
    isYoung = true;
    youngFrom = next;
    if (standing.isSure()) {
      wholeFrom = Math.min(wholeFrom, next);
    }
  }

  /** The replica will append a marker of that value, which no other marker has. */
  public void claim(Bytes value) {
    role = Role.CLAIMING;
    claim = Optional.of(value);
  }

  /** The replica leads no more, or does not want to. */
  public void resign() {
    loseLead();
    role = Role.FOLLOWING;
    claim = Optional.empty();
  }

  /**
   * Takes sequences for the entries of one append.
   *
   * @return the first
   * @throws IllegalArgumentException when there are none, or too many
   * @throws IllegalStateException when it does not lead, or not all it took before are read back
   */
  public long take(int count) {
    if (count < 1 || count > APPEND_ENTRIES_MAX) {
      throw new IllegalArgumentException("an append of " + count + " entries");
    }
    if (role != Role.LEADING || given != sequence) {
      throw new IllegalStateException(
          "cannot append while " + role + ", read " + sequence + " of " + given);
    }
    long first = (given / APPEND_ENTRIES_MAX + 1) * APPEND_ENTRIES_MAX;
    given = first + count - 1;
    return first;
  }

  /** Whether entries that this leader appended are not read back yet. */
  public boolean isAppending() {
    return role == Role.LEADING && given != sequence;
  }
}
