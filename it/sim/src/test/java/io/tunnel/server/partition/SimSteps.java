package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;

/** Takes the steps of shards that were not started, on the simulation's thread. */
public final class SimSteps {

  private SimSteps() {}

  /** Whether a shard has nothing to do. */
  public static boolean isIdle(Shard shard) {
    return shard.isIdle();
  }

  /** Lets a shard do one thing. */
  public static void step(Shard shard) {
    boolean unused = shard.step();
  }

  /** When the row of a key was committed. */
  public static long commitMicros(Shard shard, int partition, Bytes key) {
    return shard.rows().commitMicros(partition, key);
  }
}
