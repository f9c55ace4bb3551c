package io.tunnel.server.partition;

/** Takes the steps of shards that were not started, on the test's thread. */
public final class ShardSteps {

  private ShardSteps() {}

  /** Does what waits first; false when nothing waits. */
  public static boolean step(Shard shard) {
    return shard.step();
  }
}
