package io.tunnel.server.channel.ration;

/**
 * How channels that are far behind are slowed down while others write.
 *
 * @param isPaced whether they are
 * @param liveBytesMax a channel with at most so many bytes in front of it is live, and never waits
 * @param bytesPerSecondMin what all channels that catch up may deliver together in any case, beside
 *     5/4 of what is written meanwhile to the partition of each
 * @param waitPercentMax how long writes may wait meanwhile, in percent of how long they do
 *     otherwise
 */
public record RationConfig(
    boolean isPaced, long liveBytesMax, long bytesPerSecondMin, int waitPercentMax) {

  private static final long MIB = 1 << 20;
  private static final long BYTES_PER_SECOND_MAX = 1L << 40;
  private static final int WAIT_PERCENT_MIN = 110;
  private static final int WAIT_PERCENT_MAX = 10_000;

  /** What is far behind is slowed down. */
  public static final RationConfig DEFAULT = new RationConfig(true, 4 * MIB, 8 * MIB, 200);

  /** Refuses rates and bounds that cannot work. */
  public RationConfig {
    require(liveBytesMax >= 0, "liveBytesMax is 0 or more, not " + liveBytesMax);
    require(
        bytesPerSecondMin >= 1 && bytesPerSecondMin <= BYTES_PER_SECOND_MAX,
        "bytesPerSecondMin is 1 to 1099511627776 (1 TiB), not " + bytesPerSecondMin);
    require(
        waitPercentMax >= WAIT_PERCENT_MIN && waitPercentMax <= WAIT_PERCENT_MAX,
        "waitPercentMax is 110 to 10000, not " + waitPercentMax);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("catchUp." + message);
    }
  }
}
