package io.tunnel.server.replica.history;

import io.tunnel.server.changes.IncarnationHistory;
import io.tunnel.server.changes.IncarnationHistory.Numbers;
import io.tunnel.server.changes.IncarnationHistory.Start;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.util.List;

/**
 * Who led the shared log when, in the part that a replica has read. A log that lost its end and
 * grew again has grown under a later leader, so these are the incarnations of its positions: that
 * of a leader's epoch is one more, because incarnations are at least 1.
 *
 * @param starts where epochs began, or at the latest place at which they can have begun before the
 *     first record of theirs that was read
 */
public record LeaderEpochs(List<Start> starts) {

  public static final LeaderEpochs NONE = new LeaderEpochs(List.of());

  public LeaderEpochs {
    starts = List.copyOf(starts);
  }

  /** Epoch of the last record that was read; {@link Stored#NO_EPOCH} when nothing was. */
  public int last() {
    return starts.isEmpty()
        ? Stored.NO_EPOCH
        : Math.toIntExact(starts.get(starts.size() - 1).incarnation() - 1);
  }

  /** Whether a record cannot stand behind what was read: it is of a log that was cut off before. */
  public boolean contradicts(Stored record) {
    return record.leaderEpoch() != Stored.NO_EPOCH && record.leaderEpoch() < last();
  }

  /**
   * With a record that was read.
   *
   * @param expected the offset behind the record before; records between may have been compacted,
   *     and then nobody knows under whom they were appended
   */
  public LeaderEpochs read(long expected, Stored record) {
    return record.leaderEpoch() <= last()
        ? this
        : new LeaderEpochs(IncarnationHistory.begun(starts, record.leaderEpoch() + 1L, expected));
  }

  /** What readers are told, and are judged by. */
  public IncarnationHistory history() {
    return new IncarnationHistory(
        starts.stream().map(Start::incarnation).toList(), starts, Numbers.ORDERED);
  }
}
