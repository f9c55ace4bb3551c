package io.tunnel.server.replica.append;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.append.LeadCore.Outcome;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * What lanes answer when they do not take a write, or do not learn what became of a write.
 *
 * @param leaders where another node that leads a partition is reached, as HOST:PORT, if the address
 *     is known; any thread may ask
 * @param outcomeMsMax how long in milliseconds the fate of an append may stay open, until its
 *     writers are notified that the outcome is unknown
 */
record LaneAnswers(IntFunction<Optional<String>> leaders, long outcomeMsMax) {

  /** NOT_LEADER, with the address of the leader if another node leads. */
  RefusedException notLeader(int partition, String why) {
    return RefusedException.notLeader(why, leaders.apply(partition));
  }

  /**
   * Why a node does not lead a partition.
   *
   * @param unservable why no replica of the partition can begin there, if none can
   */
  static String notLed(int partition, Optional<LaneView> view, Optional<String> unservable) {
    Optional<String> reading =
        view.filter(found -> !found.isCaughtUp())
            .map(LaneView::progress)
            .map(
                progress ->
                    "this node is still reading partition %d: %d of %s records"
                        .formatted(partition, progress.next(), text(progress.startEnd())));
    return reading
        .or(
            () ->
                unservable.map(
                    why ->
                        "this node has no replica of partition %d: %s".formatted(partition, why)))
        .orElse("this node does not lead partition " + partition);
  }

  private static String text(OptionalLong count) {
    return count.isPresent() ? String.valueOf(count.getAsLong()) : "an unknown number of";
  }

  /**
   * The answer to writes of an append that does not count, or whose fate is not known.
   *
   * @param stopped why the node does not read the partition any more
   */
  RefusedException of(Outcome outcome, int partition, String stopped) {
    return outcome == Outcome.NEVER
        ? notLeader(partition, "another node leads partition " + partition + " since")
        : PendingWrite.unknown(
            "this node stopped to read partition %d of the shared log: %s"
                .formatted(partition, stopped));
  }

  /** Whether an append that was made at {@code madeNanos} has waited for too long. */
  boolean isLate(long madeNanos, long nowNanos) {
    return nowNanos - madeNanos >= TimeUnit.MILLISECONDS.toNanos(outcomeMsMax);
  }

  /** The answer to writes that count, and that the full disk has kept waiting for too long. */
  RefusedException full(int partition) {
    return PendingWrite.unknown(
        "the disk of this node is full, and has not taken the writes to partition %d in %d ms"
            .formatted(partition, outcomeMsMax));
  }

  /** The answer to writes that have waited for too long. */
  RefusedException late(int partition) {
    return PendingWrite.unknown(
        "the shared log has not settled the writes to partition %d in %d ms"
            .formatted(partition, outcomeMsMax));
  }
}
