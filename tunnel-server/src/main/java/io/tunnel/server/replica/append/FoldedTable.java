package io.tunnel.server.replica.append;

import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.LocalRetention;
import io.tunnel.server.replica.ReplicaConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The table of a shard, which a start makes again from the local log. */
record FoldedTable(Shard shard) implements LocalRetention.Table {

  /** What the local logs of shards keep. */
  static List<LocalRetention> retentions(
      List<Shard> shards, ReplicaConfig config, AppendReplicas.Known known) {
    long bytesMax = config.history().localBytesMax();
    List<LocalRetention> made = new ArrayList<>();
    for (Shard shard : shards) {
      made.add(
          new LocalRetention(
              shard.log(),
              bytesMax == 0 ? 0 : Math.max(1, bytesMax / shards.size()),
              known.retentionMicros(),
              partition -> !known.partitions().isDropped(partition),
              new FoldedTable(shard)));
    }
    return List.copyOf(made);
  }

  @Override
  public long durableOffset() throws IOException {
    return shard.store().durableOffset();
  }

  @Override
  public void startFlush() throws IOException {
    shard.store().startFlush();
  }
}
