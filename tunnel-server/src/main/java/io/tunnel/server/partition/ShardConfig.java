package io.tunnel.server.partition;

import io.tunnel.model.Limits;
import io.tunnel.server.partition.judge.WriterLimits;

/**
 * Limits of a shard.
 *
 * @param groupBytesMax bytes of batches after which a group is committed even when more wait
 * @param mergedBytesMax bytes up to which small batches of one partition are merged inside a group
 * @param queueBytesMax bytes of batches that may wait; further writes are refused as BUSY
 * @param freeBytesMin writes are refused as BUSY while the disk has fewer bytes left
 * @param expiredRowsPerSecondMax how many rows whose time to live is over all shards of a server
 *     delete in a second
 * @param writers what all shards of a server keep of writers that number their batches
 * @param clockJumpAcceptedMs how long the wall clock has to insist on a jump of more than 10 s
 *     before the server follows; 0 follows at once
 */
public record ShardConfig(
    int groupBytesMax,
    int mergedBytesMax,
    long queueBytesMax,
    long freeBytesMin,
    int expiredRowsPerSecondMax,
    WriterLimits writers,
    long clockJumpAcceptedMs) {

  /** A small part of what a server can write. */
  public static final int EXPIRED_ROWS_PER_SECOND_MAX_DEFAULT = 10_000;

  private static final int EXPIRED_ROWS_PER_SECOND_MAX = 1_000_000;

  /** An hour: enough to set a clock right after an alert. */
  private static final long CLOCK_JUMP_ACCEPTED_MS_DEFAULT = 3_600_000;

  private static final long CLOCK_JUMP_ACCEPTED_MS_MAX = 31_536_000_000L;

  /** Space for the memory of a table, a compaction and the catalog. */
  private static final long FREE_BYTES_MIN_DEFAULT = 256L << 20;

  private static final int BYTES_MIN = 4_096;

  /** A segment and the group that overfills it are addressed by 31 bits. */
  private static final int GROUP_BYTES_MAX = 64 << 20;

  /** Refuses limits that cannot work. */
  public ShardConfig {
    require(
        groupBytesMax >= BYTES_MIN && groupBytesMax <= GROUP_BYTES_MAX,
        "groupBytesMax is 4096 to 67108864 (64 MiB), not " + groupBytesMax);
    require(
        mergedBytesMax >= BYTES_MIN && mergedBytesMax <= Limits.BATCH_BYTES_MAX,
        "mergedBytesMax is 4096 to 6291456 (what a batch may have), not " + mergedBytesMax);
    require(
        queueBytesMax >= Math.max(groupBytesMax, Limits.BATCH_BYTES_MAX),
        "queueBytesMax is at least groupBytesMax and 6291456 (what a batch may have), not "
            + queueBytesMax);
    require(freeBytesMin >= 0, "freeBytesMin is 0 (no limit) or more, not " + freeBytesMin);
    require(
        expiredRowsPerSecondMax >= 1 && expiredRowsPerSecondMax <= EXPIRED_ROWS_PER_SECOND_MAX,
        "expiredRowsPerSecondMax is 1 to 1000000, not " + expiredRowsPerSecondMax);
    require(writers != null, "writers is an object, not null");
    require(
        clockJumpAcceptedMs >= 0 && clockJumpAcceptedMs <= CLOCK_JUMP_ACCEPTED_MS_MAX,
        "clockJumpAcceptedMs is 0 to 31536000000 (365 days), not " + clockJumpAcceptedMs);
  }

  /** Limits of a shard that deletes expired rows at the usual pace. */
  public ShardConfig(int groupBytesMax, int mergedBytesMax, long queueBytesMax, long freeBytesMin) {
    this(
        groupBytesMax,
        mergedBytesMax,
        queueBytesMax,
        freeBytesMin,
        EXPIRED_ROWS_PER_SECOND_MAX_DEFAULT,
        WriterLimits.DEFAULT,
        CLOCK_JUMP_ACCEPTED_MS_DEFAULT);
  }

  /** Limits of a shard that leaves as much space on its disk as is usual. */
  public ShardConfig(int groupBytesMax, int mergedBytesMax, long queueBytesMax) {
    this(groupBytesMax, mergedBytesMax, queueBytesMax, FREE_BYTES_MIN_DEFAULT);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("shard." + message);
    }
  }
}
