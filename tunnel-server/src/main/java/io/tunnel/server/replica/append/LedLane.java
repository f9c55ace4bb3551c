package io.tunnel.server.replica.append;

import io.tunnel.model.RefusedException;
import io.tunnel.server.partition.PartitionHost;
import io.tunnel.server.partition.PendingWrite;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.table.TableRows;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** A partition that this node leads, in one epoch. */
final class LedLane implements PartitionHost {

  private final int partition;
  private final AppendReplicas replicas;
  private final Shard shard;
  private final LaneKeeper keeper;

  /** The epoch in which the partition was served when the caller looked this host up. */
  private final OptionalLong epoch;

  LedLane(
      int partition, AppendReplicas replicas, Shard shard, LaneKeeper keeper, OptionalLong epoch) {
    this.partition = partition;
    this.replicas = replicas;
    this.shard = shard;
    this.keeper = keeper;
    this.epoch = epoch;
  }

  @Override
  public void write(PendingWrite write) {
    requireServed();
    shard.write(write);
  }

  private void requireServed() {
    if (!keeper.served(partition).equals(epoch)) {
      throw replicas.notLeader(partition);
    }
  }

  @Override
  public void execute(int ofPartition, Runnable action) {
    shard.execute(ofPartition, action);
  }

  @Override
  public void executeStrictly(
      int ofPartition, Runnable action, Consumer<RefusedException> refused) {
    keeper.read(ofPartition, action, refused);
  }

  @Override
  public void requireFresh() {
    replicas.requireFresh(partition);
  }

  @Override
  public TableRows table() {
    return shard.table();
  }

  @Override
  public TableRows tableNow(int ofPartition) {
    return shard.tableNow(ofPartition);
  }

  @Override
  public void requireWhole() {
    requireServed();
    shard.requireWhole();
  }
}
