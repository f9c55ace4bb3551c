package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;

/** Takes the steps of shards that were not started, on the simulation's thread. */
public final class SimSteps {

  private SimSteps() {}

  /** Whether a task waits that no step of the shard has looked at; a posted task wakes a thread. */
  public static boolean hasPosted(Shard shard) {
    return shard.hasPosted();
  }

  /** Lets a shard do one thing; false when the thread of a shard would sleep now. */
  public static boolean step(Shard shard) {
    return shard.step();
  }

  /** When the row of a key was committed. */
  public static long commitMicros(Shard shard, int partition, Bytes key) {
    return shard.rows().commitMicros(partition, key);
  }
}
