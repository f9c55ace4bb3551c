package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.SharedLog;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What the replicas of a shard need of it; {@code queue} is the shard's. */
record ShardPort(
    Replicas.Ports ports,
    ReplicaStore store,
    Shard.Clock clock,
    Consumer<ReplicaTask> queue,
    Incidents incidents)
    implements Replica.Port {

  @Override
  public void append(int partition, long number, List<Entry> entries) {
    SharedLog.Appended appended =
        failure -> queue.accept(new ReplicaTask.Appended(partition, number, failure));
    ports.log().append(partition, entries, appended);
  }

  @Override
  public Bytes marker() {
    return ports.markers().get();
  }

  @Override
  public Optional<String> leaderOf(int partition) {
    return ports.leaders().apply(partition);
  }

  @Override
  public long retentionMicros(int partition) {
    return ports.retentionMicros().applyAsLong(partition);
  }

  @Override
  public long deletionMicros(int partition) {
    return ports.deletionMicros().applyAsLong(partition);
  }

  @Override
  public long epochMicros() {
    return clock.epochMicros();
  }

  @Override
  public long logged(int partition) {
    return store.log().committed(partition);
  }

  @Override
  public long keptFrom(int partition) {
    return store.log().keptFrom(partition);
  }

  @Override
  public void count(Incident what, long times) {
    incidents.count(what, times);
  }
}
