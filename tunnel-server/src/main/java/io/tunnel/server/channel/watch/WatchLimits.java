package io.tunnel.server.channel.watch;

/**
 * What watches may take of a server together.
 *
 * @param watchesMax how many watches
 * @param termsBytesMax bytes of their keys and prefixes, with those of the index for each
 * @param bufferedBytesMax bytes of changes that were read for watches and are not sent; after it,
 *     watches fall back, and read the log again later
 * @param windowBytesMax bytes of them for one watch, if a single change is not larger
 */
public record WatchLimits(
    int watchesMax, long termsBytesMax, long bufferedBytesMax, int windowBytesMax) {

  /** 200,000 watches with 64 MiB of terms; 64 MiB of changes, 64 KiB for each watch. */
  public static final WatchLimits DEFAULT =
      new WatchLimits(200_000, 64L << 20, 64L << 20, 64 << 10);

  /** Refuses limits under 1. */
  public WatchLimits {
    if (watchesMax < 1 || termsBytesMax < 1 || bufferedBytesMax < 1 || windowBytesMax < 1) {
      throw new IllegalArgumentException("limits of watches are at least 1");
    }
  }
}
