package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.ColumnSizes;
import io.tunnel.codec.ExpiredRows;
import io.tunnel.condition.ConditionPlace;
import io.tunnel.model.DeletionCause;
import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.judge.BoundRows;
import io.tunnel.wire.WriteResult;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Deletes the rows of a shard whose sessions have ended, one batch after the other. A batch passes
 * through the queue of the shard like any write, and is evaluated there: a row that was written
 * since is left alone. Nothing is kept between two steps: after a crash the start finds the rows
 * again.
 */
final class SessionSweep {

  /** Rows of a batch: a group that deletes them delays no later write for long. */
  static final int BATCH_ROWS_MAX = 512;

  private final int id;
  private final Shard shard;

  /** Whether the shard has a task of this sweep, so that no second one comes. */
  private final AtomicBoolean isBusy = new AtomicBoolean();

  SessionSweep(int id, Shard shard) {
    this.id = id;
    this.shard = shard;
  }

  /** Begins a sweep where there is anything to delete, unless one is under way. Any thread. */
  void tick() {
    if (shard.bound().hasEnded() && isBusy.compareAndSet(false, true)) {
      shard.execute(Set.of(), this::goOn);
    }
  }

  private void goOn() {
    Optional<BoundRows.Ended> next =
        shard.hasFailed() ? Optional.empty() : shard.bound().ended(BATCH_ROWS_MAX, shard::mayWrite);
    if (next.isEmpty()) {
      isBusy.set(false);
      return;
    }
    BoundRows.Ended ended = next.get();
    ChangeBatch batch =
        ExpiredRows.of(DeletionCause.SESSION_ENDED, ended.partition(), ended.keys());
    PendingWrite.Judging judging =
        new PendingWrite.Judging(
            ConditionPlace.ofRows(List.of()),
            false,
            ColumnSizes.of(batch),
            Optional.of(PendingWrite.Binding.ofEnded()));
    try {
      shard.write(new PendingWrite(batch, judging, Optional.empty(), true, new Deleted()));
    } catch (RefusedException e) {
      // The queue is full, or the shard stops: the next tick finds the rows again.
      isBusy.set(false);
    }
  }

  /** What became of DELETEs. */
  private final class Deleted implements PendingWrite.Outcome {
    @Override
    public void written(WriteResult result) {
      shard.meter().unbound(id, result.appliedRows());
      shard.execute(Set.of(), SessionSweep.this::goOn);
    }

    /** The shard is full, has failed or stops, or the partition is gone. */
    @Override
    public void refused(RefusedException reason) {
      isBusy.set(false);
    }
  }
}
