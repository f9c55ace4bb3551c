package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendHeader.Kind;
import io.tunnel.server.replica.append.FollowState.Stretch;
import java.util.Objects;
import java.util.Optional;

/**
 * Up to where the log certainly has what a reader knows, and what the reader expects from there on.
 *
 * <p>A leader believes acknowledgements and does not read its records. The records from the proven
 * place up to the next offset are all of one epoch, and have consecutive numbers and offsets,
 * because a record that is read proves everything before it. So the offset, the epoch and the
 * number of the last record say which record has to be at each of these offsets; no header is kept.
 *
 * <p>The proven place also has the leader epoch of the record before it, exactly: the log's leader
 * can be asked whether the log was cut before the place. The leader epoch of a record that was only
 * acknowledged lies between two that are known. An older epoch than the record's own would let a
 * complete log seem cut, so an acknowledged record moves the place only when the log's leader has
 * the same epoch before and after the record.
 */
final class ReadBackCore {

  /**
   * A place in the log.
   *
   * @param offset all records before are in the log, as the reader knows them
   * @param leaderEpoch of the record before {@code offset}; {@link AppendTail#NO_EPOCH} if unknown
   */
  record Proven(long offset, int leaderEpoch) {}

  /** At most the next offset of the reader. */
  private Proven proven;

  /** The highest leader epoch of the log that is known; never falls. */
  private int newestEpoch;

  /** What was known some time ago, and is not proven yet. */
  private Optional<Mark> mark = Optional.empty();

  /** The next offset at a time; a question of that time or later proves the records before. */
  private record Mark(long nanos, long next) {}

  /** A reader that resumes at a proven place. */
  ReadBackCore(Proven proven) {
    this.proven = Objects.requireNonNull(proven, "proven");
    this.newestEpoch = proven.leaderEpoch();
  }

  /** From here on the log is to be read when it may have lost its end. */
  Proven proven() {
    return proven;
  }

  /**
   * A record was read, and {@code follow} has not taken it yet. False if the log lacks a record
   * that the reader believed.
   */
  boolean read(FollowCore follow, long offset, int leaderEpoch, AppendHeader header) {
    if (offset < proven.offset()) {
      return true;
    }
    boolean isExpected =
        offset < follow.next()
            ? offset == proven.offset() && isBelieved(follow, offset, header)
            : proven.offset() >= follow.next();
    if (isExpected) {
      proven = new Proven(offset + 1, leaderEpoch);
      newestEpoch = Math.max(newestEpoch, leaderEpoch);
    }
    return isExpected;
  }

  private static boolean isBelieved(FollowCore follow, long offset, AppendHeader header) {
    Stretch epoch = follow.newest();
    long number = follow.number() - (follow.next() - 1 - offset);
    return header.kind() != Kind.MARKER && epoch.has(header) && header.number() == number;
  }

  /**
   * All records before {@code offset} were read. False if the log lacks a record that the reader
   * believed. The leader epoch of a record that no leader wrote is not known.
   */
  boolean skipped(FollowCore follow, long offset) {
    if (offset <= proven.offset()) {
      return true;
    }
    boolean isExpected = proven.offset() >= follow.next();
    if (isExpected) {
      proven = new Proven(offset, AppendTail.NO_EPOCH);
    }
    return isExpected;
  }

  /** Whether the log has another leader than was known: a leader epoch above the known one. */
  boolean isNewer(int leaderEpoch) {
    boolean isNewer = newestEpoch != AppendTail.NO_EPOCH && leaderEpoch > newestEpoch;
    newestEpoch = Math.max(newestEpoch, leaderEpoch);
    return isNewer;
  }

  /** Whether an answer comes from a replaced leader of the log. */
  boolean isOlder(int leaderEpoch) {
    return leaderEpoch != AppendTail.NO_EPOCH && leaderEpoch < newestEpoch;
  }

  /**
   * Remembers what is known now, until a look proves it.
   *
   * @param next the reader's next offset
   */
  void mark(long nowNanos, long next) {
    if (mark.isEmpty() && next > proven.offset()) {
      mark = Optional.of(new Mark(nowNanos, next));
    }
  }

  /**
   * The log ended at {@code end}, said a leader with this epoch. Whether the log had the same
   * leader since the record at the proven place: then the log had lost nothing, and the records
   * that were known when the question was asked are proven. A record that was acknowledged after
   * the question may be from another leader, also before the end of the answer.
   */
  boolean looked(long askedNanos, AppendTail.End end) {
    boolean isSame =
        end.leaderEpoch() != AppendTail.NO_EPOCH && end.leaderEpoch() == proven.leaderEpoch();
    if (isSame && mark.isPresent() && askedNanos - mark.get().nanos() >= 0) {
      if (mark.get().next() > proven.offset()) {
        proven = new Proven(mark.get().next(), end.leaderEpoch());
      }
      mark = Optional.empty();
    }
    return isSame;
  }
}
