package io.tunnel.server.partition;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.judge.ConditionCore;
import io.tunnel.server.partition.judge.RowBounds;
import java.io.IOException;
import java.util.Optional;

/**
 * Takes the writes of a shard into groups. A write that may replace rows blindly joins the group of
 * its lane at once. A write that has to be checked joins when the table has all rows that decide
 * the write: no group of the lane is under way, and what was acknowledged of the partition is
 * folded. For the shard's thread.
 */
final class Gathering {

  private final Lanes lanes;
  private final WriteTurns turns;
  private final ConditionCore conditions;
  private final RowBounds bounds;
  private final ShardExpiry expiry;
  private final FoldState folding;

  /** Gathers into {@code lanes}; {@code conditions} knows what the gathered writes change. */
  Gathering(
      Lanes lanes,
      WriteTurns turns,
      ConditionCore conditions,
      RowBounds bounds,
      ShardExpiry expiry,
      FoldState folding) {
    this.lanes = lanes;
    this.turns = turns;
    this.conditions = conditions;
    this.bounds = bounds;
    this.expiry = expiry;
    this.folding = folding;
  }

  /**
   * Gathers what waits, until a group is full, or something has to come first.
   *
   * @throws IOException when stored rows cannot be read, or a fold failed and fails again
   */
  void gather() throws IOException {
    expiry.pass();
    Optional<WriteTurns.Done> judged = turns.takeJudged();
    if (judged.isPresent()) {
      // Alone: the group's conditions know nothing of its rows.
      gather(judged.get());
      return;
    }
    turns.beginGroup();
    while (turns.peekOfGroup(!lanes.isEmpty()) instanceof PendingWrite write) {
      int partition = write.batch().partition();
      // Evaluating reads the table and may fail; the write then is still there to be answered.
      if (lanes.isClosedTo(write)) {
        break;
      }
      if (lanes.mustWait(write)) {
        turns.holdForLane(write);
        continue;
      }
      if (isRefused(write)) {
        turns.take();
        continue;
      }
      OpenGroup group = lanes.of(partition);
      if (group.isSettled(write, conditions)) {
        turns.take();
        continue;
      }
      boolean mustJudge =
          bounds.mustJudge(write.batch(), write.isConditional(), write.columnSizes())
              || expiry.mayBeOver(partition);
      if (mustJudge && !lanes.isQuiet(partition)) {
        turns.holdForLane(write);
        continue;
      }
      if (mustJudge && setAside(write)) {
        break;
      }
      Optional<ConditionCore.Judged> now =
          mustJudge
              ? turns.judgeAtOnce(write, conditions, expiry.aliveAt(write))
              : Optional.of(conditions.judge(write.batch(), write.place(), false));
      if (now.isEmpty() && setAside(write)) {
        break;
      }
      group.admit(write, now.orElseThrow());
      turns.take();
    }
  }

  private boolean isRefused(PendingWrite write) {
    Optional<RefusedException> refusal = lanes.refusal(write.batch().partition());
    refusal.ifPresent(write::refused);
    return refusal.isPresent();
  }

  /**
   * Sets a write that must be evaluated aside, so that the write is not evaluated with this group,
   * when the write is long, or when a slice of a fold did not bring all rows that the write needs.
   */
  private boolean setAside(PendingWrite write) throws IOException {
    boolean isFolded = folding.isFoldedBySlice(write.batch().partition());
    if (isFolded && !turns.isLong(write)) {
      return false;
    }
    // A write that turned out to be long waits while another one is evaluated.
    if (lanes.isEmpty() && turns.peek() == write) {
      if (isFolded) {
        turns.begin(write, expiry.aliveAt(write));
      } else {
        turns.park();
      }
    }
    return true;
  }

  /** A row that was alive at the evaluation may have expired since: then all is evaluated again. */
  private void gather(WriteTurns.Done done) {
    PendingWrite write = done.write();
    OpenGroup group = lanes.of(write.batch().partition());
    if (isRefused(write) || group.isRefused(write)) {
      return;
    }
    ConditionCore.Judged judged = done.judged();
    if (expiry.momentMicros(write.batch().partition()) >= judged.validMicros()) {
      judged = conditions.judge(write.batch(), write.place(), true, expiry.aliveAt(write));
      write.looked(conditions.takeLooked());
    }
    group.admit(write, judged);
  }

  /** What was gathered is appended, or refused. */
  void end() {
    conditions.clear();
    turns.takePassedReads();
  }
}
