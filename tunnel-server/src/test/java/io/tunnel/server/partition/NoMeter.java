package io.tunnel.server.partition;

/** Counts nothing. */
public class NoMeter implements Shard.Meter {

  @Override
  public void committed(int shard, long rows, long bytes, long commitNanos) {}

  @Override
  public void folded(int shard, long foldNanos) {}

  @Override
  public void rejected(int shard, long rows) {}

  @Override
  public void trimmed(int shard, long changes, long segments, long bytes) {}
}
