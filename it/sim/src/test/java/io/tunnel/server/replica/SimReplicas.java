package io.tunnel.server.replica;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.log.SimDisk;
import io.tunnel.server.log.SimLogs;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** The replicas of a simulated node: real ones, whose threads are the simulation's. */
public final class SimReplicas implements SimCopies {

  private static final int SEGMENT_BYTES_MAX = 3_000;

  private final List<ReplicaShard> shards = new ArrayList<>();
  private final List<SimReplicaRows> rows;
  private final Replicas all;

  /** What replicas are kept on; it outlives the process. */
  public record Storage(List<SimDisk> disks, List<SimReplicaRows> rows) {}

  /** Opens what is stored, and follows the log. */
  public SimReplicas(Storage storage, ReplicaConfig config, Replicas.Ports ports, Shard.Clock clock)
      throws IOException {
    rows = storage.rows();
    for (SimDisk disk : storage.disks()) {
      int id = shards.size();
      LocalLog log = SimLogs.open(disk, id, SEGMENT_BYTES_MAX);
      SimReplicaRows own = rows.get(id);
      own.storeBehind(log::sync);
      ReplicaStore.requireWhole(log, own.states());
      ReplicaStore store = new ReplicaStore(id, log, own, 0, NO_METER, clock);
      shards.add(new ReplicaShard(id, config, store, ports, NO_METER, clock));
    }
    all = new Replicas(shards, config, ports.log());
    all.followStored(ports.partitions()::exists);
  }

  @Override
  public Replicas all() {
    return all;
  }

  @Override
  public int count() {
    return shards.size();
  }

  @Override
  public boolean isIdle(int shard) {
    return shards.get(shard).isIdle();
  }

  @Override
  public void step(int shard) {
    shards.get(shard).step();
  }

  @Override
  public boolean hasFailed() {
    return shards.stream().anyMatch(ReplicaShard::hasFailed);
  }

  @Override
  public boolean isWritable(int partition) {
    Replica replica = shards.get(partition % shards.size()).replicas().get(partition);
    return replica != null && replica.view().isWritable();
  }

  private SimReplicaRows rowsOf(int partition) {
    return rows.get(partition % rows.size());
  }

  @Override
  public void retain(long nowMicros) {
    all.retain(nowMicros);
  }

  @Override
  public SortedMap<Bytes, SortedMap<String, Bytes>> rows(int partition) {
    return rowsOf(partition).rows(partition);
  }

  @Override
  public SortedMap<Bytes, Long> commitTimes(int partition) {
    return rowsOf(partition).commitTimes(partition);
  }

  private static final Shard.Meter NO_METER =
      new Shard.Meter() {
        @Override
        public void committed(int shard, long rows, long bytes, long commitNanos) {}

        @Override
        public void folded(int shard, long foldNanos) {}

        @Override
        public void rejected(int shard, long rows) {}

        @Override
        public void trimmed(int shard, long changes, long segments, long bytes) {}
      };
}
