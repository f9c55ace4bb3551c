package io.tunnel.server.partition;

/**
 * Limits of a shard.
 *
 * @param groupBytesMax bytes of batches after which a group is committed even when more wait
 * @param mergedBytesMax bytes up to which small batches of one partition are merged inside a group
 * @param queueBytesMax bytes of batches that may wait; further writes are refused as BUSY
 */
public record ShardConfig(int groupBytesMax, int mergedBytesMax, long queueBytesMax) {

  /** Refuses limits that cannot work. */
  public ShardConfig {
    if (groupBytesMax < 4096 || mergedBytesMax < 4096 || queueBytesMax < groupBytesMax) {
      throw new IllegalArgumentException(
          "shard.groupBytesMax and shard.mergedBytesMax are at least 4096, and shard.queueBytesMax at"
              + " least groupBytesMax; not "
              + groupBytesMax
              + ", "
              + mergedBytesMax
              + ", "
              + queueBytesMax);
    }
  }
}
