package io.tunnel.server.kafka;

import io.tunnel.server.partition.Shard;

/** Counts nothing. */
final class SilentMeter implements Shard.Meter {

  @Override
  public void committed(int shard, long rows, long bytes, long commitNanos) {}

  @Override
  public void folded(int shard, long foldNanos) {}

  @Override
  public void rejected(int shard, long rows) {}

  @Override
  public void trimmed(int shard, long changes, long segments, long bytes) {}
}
