package io.tunnel.server.partition;

/** Is told what a shard does, on the shard's thread. */
public interface ShardMeter {

  /** A group was committed, synced or not, and folded. */
  void committed(int shard, long rows, long bytes, long commitNanos, long foldNanos);

  /** Rows whose condition did not hold. */
  void rejected(int shard, long rows);
}
