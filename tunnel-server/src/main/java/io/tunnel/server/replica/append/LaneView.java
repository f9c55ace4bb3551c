package io.tunnel.server.replica.append;

import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.FollowState.Stretch;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A replica as other threads see the replica.
 *
 * @param role what the replica does; a word for people
 * @param trouble why the replica has stopped, or must not lead; empty while the replica reads or
 *     leads as the node was told
 * @param served the epoch in which rows are read and changes are delivered here; empty elsewhere
 * @param log what the replica has read
 * @param progress how far the replica is
 * @param begun the position of the next change when the replica began
 * @param lastMicros the commit time of the last change; 0 without one
 * @param incarnations of the changes
 * @param counted what the lane has taken of records that count
 */
record LaneView(
    String role,
    Optional<String> trouble,
    OptionalLong served,
    KnownLog log,
    Progress progress,
    long begun,
    long lastMicros,
    IncarnationHistory incarnations,
    Counted counted) {

  /**
   * Records of a lane that count.
   *
   * @param lane number of the lane within its shard; a replica that is rebuilt gets another lane
   * @param named the newest snapshot whose record the lane has taken
   * @param bytes of all these records
   */
  record Counted(long lane, Optional<Named> named, long bytes) {}

  /**
   * A snapshot that counts.
   *
   * @param offset of the record
   */
  record Named(long offset, Snapshot snapshot) {}

  /**
   * How far a replica has read, in offsets of the log.
   *
   * @param isReading false of a replica that has stopped
   * @param next the next record to read
   * @param end of the log as last seen, or {@code next} if that is greater
   * @param startEnd of the log when the replica began; empty before the log has answered
   */
  record Progress(boolean isReading, long next, long end, OptionalLong startEnd) {

    /** Records that the replica has not read. */
    long lag() {
      return end - next;
    }

    /** Records that a fresh replica must read before it can serve. */
    long unread() {
      return Math.max(0, startEnd.orElse(0) - next);
    }
  }

  /** The newest epoch that the replica has read; 0 before the first. */
  long epoch() {
    int count = log.follow().stretches().size();
    return count == 0 ? 0 : log.follow().stretches().get(count - 1).epoch();
  }

  /** Whether the replica has read all that the log had when the replica began. */
  boolean isCaughtUp() {
    return progress.isReading()
        && progress.startEnd().isPresent()
        && progress.next() >= progress.startEnd().getAsLong();
  }

  /** This replica when rows are not read here any more. */
  LaneView withdrawn() {
    return new LaneView(
        role,
        trouble,
        OptionalLong.empty(),
        log,
        progress,
        begun,
        lastMicros,
        incarnations,
        counted);
  }

  /**
   * The incarnations of epochs.
   *
   * @param before what was known before, which stays where no epoch has begun
   */
  static IncarnationHistory incarnations(List<Stretch> stretches, Optional<LaneView> before) {
    OptionalLong newest =
        stretches.isEmpty()
            ? OptionalLong.empty()
            : OptionalLong.of(stretches.get(stretches.size() - 1).incarnation());
    if (before.isPresent() && before.get().incarnations.newest().equals(newest)) {
      return before.get().incarnations;
    }
    List<Long> known = new ArrayList<>();
    List<IncarnationHistory.Start> starts = List.of();
    for (Stretch stretch : stretches) {
      known.add(stretch.incarnation());
      starts = IncarnationHistory.begun(starts, stretch.incarnation(), stretch.first());
    }
    return new IncarnationHistory(known, starts);
  }
}
