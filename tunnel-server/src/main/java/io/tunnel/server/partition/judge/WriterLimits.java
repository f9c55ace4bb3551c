package io.tunnel.server.partition.judge;

/**
 * Limits of a server for writers that number their batches, in the sum of all partitions.
 *
 * @param countMax writers; beyond them the server forgets the writer that was silent for longest,
 *     of the principal with most writers, and refuses a further batch of that writer
 * @param answerBytesMax bytes of answers for repeated batches; beyond them the server drops the
 *     oldest answer of the principal with most bytes, and keeps the number of the batch
 */
public record WriterLimits(int countMax, long answerBytesMax) {

  /** At most about 190 MB of heap: 470 bytes for a writer, and the answers. */
  public static final WriterLimits DEFAULT = new WriterLimits(262_144, 64L << 20);

  private static final int COUNT_MIN = 1_024;
  private static final int COUNT_MAX = 16 << 20;
  private static final long ANSWER_BYTES_MIN = 1 << 20;

  /** Refuses limits that cannot work. */
  public WriterLimits {
    if (countMax < COUNT_MIN || countMax > COUNT_MAX) {
      throw new IllegalArgumentException(
          "shard.writers.countMax is 1024 to 16777216, not " + countMax);
    }
    if (answerBytesMax < ANSWER_BYTES_MIN) {
      throw new IllegalArgumentException(
          "shard.writers.answerBytesMax is at least 1048576 (1 MiB), not " + answerBytesMax);
    }
  }

  /** The limits of one of {@code shards} shards, whose sum stays below the limits of the server. */
  public Share of(int shards) {
    return new Share(countMax / shards, answerBytesMax / shards);
  }

  /** The limits of one shard. */
  public record Share(int countMax, long answerBytesMax) {}
}
