package io.tunnel.server.channel.ration;

/**
 * How channels that lag far are throttled while clients write.
 *
 * @param isPaced whether such channels are throttled
 * @param liveBytesMax a channel with a backlog of at most so many bytes is live, and never waits
 * @param bytesPerSecondMin least rate of all channels that catch up together, in addition to 5/4 of
 *     the writes to each one's partition
 * @param waitPercentMax how long writes may wait during a catch-up, in percent of their normal wait
 */
public record RationConfig(
    boolean isPaced, long liveBytesMax, long bytesPerSecondMin, int waitPercentMax) {

  private static final long MIB = 1 << 20;
  private static final long BYTES_PER_SECOND_MAX = 1L << 40;
  private static final int WAIT_PERCENT_MIN = 110;
  private static final int WAIT_PERCENT_MAX = 10_000;

  /** Throttles channels that lag far. */
  public static final RationConfig DEFAULT = new RationConfig(true, 4 * MIB, 8 * MIB, 200);

  /** Refuses invalid rates and bounds. */
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
