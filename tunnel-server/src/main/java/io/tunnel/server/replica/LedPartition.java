package io.tunnel.server.replica;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.replica.lead.Leader;
import io.tunnel.server.table.TableRows;
import io.tunnel.wire.RowPage.Looked;
import io.tunnel.wire.WriteResult;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** A partition that this node leads. */
final class LedPartition implements PartitionHost {

  private final int partition;
  private final ReplicaShard shard;
  private final Replica replica;
  private final long withdrawals;
  private final WriteBudget budget;

  /** {@code withdrawals} of the replica as they were before it was seen to serve. */
  LedPartition(
      int partition, ReplicaShard shard, Replica replica, long withdrawals, WriteBudget budget) {
    this.partition = partition;
    this.shard = shard;
    this.replica = replica;
    this.withdrawals = withdrawals;
    this.budget = budget;
  }

  @Override
  public void write(PendingWrite write) {
    Replica.View view = replica.view();
    if (!view.isServing()) {
      throw replica.notLeader();
    }
    if (!view.isWritable()) {
      throw Leader.unavailable();
    }
    if (shard.isStopping()) {
      throw PendingWrite.stopping();
    }
    AtomicLong queued = replica.queuedBytes();
    int bytes = write.batch().byteCount();
    budget.take(queued, bytes);
    PendingWrite counted = write.tells(new Counted(write.outcome(), budget, queued, bytes));
    shard.post(new ReplicaTask.Write(partition, counted));
  }

  /** Gives the room in the queue back when a write is answered. */
  private record Counted(
      PendingWrite.Outcome outcome, WriteBudget budget, AtomicLong queued, int bytes)
      implements PendingWrite.Outcome {

    @Override
    public void looked(Looked looked) {
      outcome.looked(looked);
    }

    @Override
    public void written(WriteResult result) {
      budget.giveBack(queued, bytes);
      outcome.written(result);
    }

    @Override
    public void refused(RefusedException reason) {
      budget.giveBack(queued, bytes);
      outcome.refused(reason);
    }
  }

  @Override
  public void execute(int ofPartition, Runnable action) {
    shard.post(new ReplicaTask.Barrier(action));
  }

  @Override
  public void executeStrictly(
      int ofPartition, Runnable action, Consumer<RefusedException> refused) {
    shard.post(new ReplicaTask.StrictRead(partition, new ReadIndex.Read(action, refused)));
  }

  @Override
  public void requireFresh() {
    shard.requireFresh(replica);
  }

  @Override
  public TableRows table() {
    return shard.rows().readable();
  }

  @Override
  public void requireWhole() {
    if (shard.hasFailed()) {
      throw shard.notLeader(partition);
    }
    if (replica.withdrawals() != withdrawals) {
      throw replica.notLeader();
    }
  }
}
