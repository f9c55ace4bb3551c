package io.tunnel.server.replica.append;

import io.tunnel.server.replica.append.AppendValue.Snapshot;
import io.tunnel.server.replica.append.AppendValue.Trim;
import io.tunnel.server.replica.append.FollowCore.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a log of appends and its log of blocks need no more. A trim destroys rows for good if it is
 * wrong, so a log is trimmed up to its second newest snapshot that some node has read back and
 * found intact, and never without two such snapshots.
 *
 * <p>What counts is a function of the log's records, so every node deletes up to the same place,
 * however often. Which snapshots were verified, and how long a snapshot has counted, each node
 * knows for itself; after a change of the leader, nodes verify again, and the wait begins again.
 *
 * <p>Invariants, with the newest verified snapshot S that has waited, and the verified one S'
 * before:
 *
 * <ol>
 *   <li>the log of a partition begins at or before the record that follows the scan of S', and the
 *       log of blocks at or before the first block of S';
 *   <li>changes that the table's retention keeps are in the log;
 *   <li>a minute, or the given wait, and the time to read S at 8 MiB/s lie between the record of S
 *       and the trim: a node that begins with a snapshot before S' completes meanwhile. Newer
 *       snapshots do not prolong the wait, so a partition whose snapshots are less far apart is
 *       trimmed, too;
 *   <li>a record that does not count deletes nothing.
 * </ol>
 */
final class TrimCore {

  /** Snapshots that are remembered. The oldest are forgotten first; no node begins with them. */
  static final int SNAPSHOTS_MAX = 64;

  private static final long SECOND = 1_000_000_000L;
  private static final long READ_BYTES_PER_SECOND_MIN = 8 << 20;

  /** Between the record of a snapshot and the trim that relies on the snapshot, at least. */
  static final long WAIT_NANOS = 60 * SECOND;

  private final long waitNanos;
  private final List<Known> snapshots = new ArrayList<>();
  private Trim trimmed;

  /**
   * Where the changes begin that the table's retention keeps.
   *
   * @param position of the oldest of these changes, or of the next change when there is none
   * @param offset no record of these changes is before
   */
  record Kept(long position, long offset) {}

  /** A snapshot that counts. */
  private static final class Known {
    private final Snapshot snapshot;

    /** When this node learned that the snapshot counts. */
    private final long countedNanos;

    private boolean isVerifiedByAnother;
    private boolean isVerifiedByLeader;

    Known(Snapshot snapshot, long countedNanos) {
      this.snapshot = snapshot;
      this.countedNanos = countedNanos;
    }

    long firstBlock() {
      return snapshot.blocks().firstOffset();
    }

    boolean hasWaited(long waitNanos, long nowNanos) {
      long readSeconds = snapshot.blocks().bytes() / READ_BYTES_PER_SECOND_MIN;
      return nowNanos - countedNanos >= waitNanos + readSeconds * SECOND;
    }

    boolean isVerified(boolean hasOthers) {
      return isVerifiedByAnother || (isVerifiedByLeader && !hasOthers);
    }
  }

  /** A reader that has read nothing, of a log of which so much is trimmed. */
  TrimCore(Trim trimmed) {
    this(trimmed, WAIT_NANOS);
  }

  /** As above, with another wait than {@link #WAIT_NANOS}. */
  TrimCore(Trim trimmed, long waitNanos) {
    this.trimmed = trimmed;
    this.waitNanos = waitNanos;
  }

  /** Takes a record that has no batches. A record that does not count changes nothing. */
  void read(Verdict verdict, AppendValue value, long nowNanos) {
    if (verdict != Verdict.COUNTS) {
      return;
    }
    if (value instanceof Snapshot snapshot) {
      counts(snapshot, nowNanos);
    } else if (value instanceof Trim trim) {
      counts(trim);
    }
  }

  /**
   * No node uses a snapshot whose id is not above those before: readers could not tell the blocks
   * of two such snapshots apart.
   */
  private void counts(Snapshot snapshot, long nowNanos) {
    if (snapshots.isEmpty() || newest().snapshot.id() < snapshot.id()) {
      snapshots.add(new Known(snapshot, nowNanos));
    }
    counts(snapshot.trimmed());
    if (snapshots.size() > SNAPSHOTS_MAX) {
      snapshots.remove(0);
    }
  }

  private Known newest() {
    return snapshots.get(snapshots.size() - 1);
  }

  private void counts(Trim trim) {
    trimmed = trimmed.with(trim);
    snapshots.removeIf(each -> each.firstBlock() < trimmed.block());
  }

  /**
   * A node has read all blocks of a snapshot, and all are intact.
   *
   * @param byAnother whether the node is not the one that has written the snapshot
   */
  void verified(long id, boolean byAnother) {
    for (Known each : snapshots) {
      if (each.snapshot.id() == id) {
        each.isVerifiedByAnother |= byAnother;
        each.isVerifiedByLeader |= !byAnother;
      }
    }
  }

  /**
   * The newest snapshot that is to be verified.
   *
   * @param hasOthers whether the partition has replicas on other nodes
   */
  OptionalLong unverified(boolean hasOthers) {
    return snapshots.isEmpty() || newest().isVerified(hasOthers)
        ? OptionalLong.empty()
        : OptionalLong.of(newest().snapshot.id());
  }

  /** Snapshots that a node can begin with, the newest first. */
  List<Snapshot> usable() {
    List<Snapshot> found = new ArrayList<>();
    for (int i = snapshots.size() - 1; i >= 0; i--) {
      found.add(snapshots.get(i).snapshot);
    }
    return found;
  }

  /**
   * The trim that the leader is to append, if it deletes anything.
   *
   * @param kept where the table's retention begins
   * @param hasOthers whether the partition has replicas on other nodes: then one of them, and not
   *     the leader itself, must have verified a snapshot
   */
  Optional<Trim> due(Kept kept, boolean hasOthers, long nowNanos) {
    List<Known> verified = snapshots.stream().filter(each -> each.isVerified(hasOthers)).toList();
    int newest = verified.size() - 1;
    while (newest > 0 && !verified.get(newest).hasWaited(waitNanos, nowNanos)) {
      newest--;
    }
    if (newest < 1) {
      return Optional.empty();
    }
    Known second = verified.get(newest - 1);
    FollowState at = second.snapshot.at();
    Trim trim =
        trimmed.with(
            new Trim(
                Math.min(kept.position(), at.position()),
                Math.min(kept.offset(), at.next()),
                second.firstBlock()));
    return trim.equals(trimmed) ? Optional.empty() : Optional.of(trim);
  }

  /**
   * What readers must not ask for, by the records that count. Any node may delete the records
   * before {@link Trim#offset} and the blocks before {@link Trim#block}, again and again.
   */
  Trim trimmed() {
    return trimmed;
  }
}
