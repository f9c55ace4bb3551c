package io.tunnel.sdk.watch;

import io.tunnel.sdk.transport.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * From where a watch follows its keys, and how.
 *
 * @param hasRows whether the watch first returns the present rows
 * @param position behind which the watch goes on; empty for what comes from now on. Not together
 *     with {@code hasRows}
 * @param isKeysOnly whether rows and changes come without columns
 * @param partitionBytesMax bytes of one partition that are delivered and not returned, unless a
 *     single change is larger; 64 KiB to 1 GiB
 * @param outageMax longest time without a server that serves the keys, before the watch fails
 */
public record WatchConfig(
    boolean hasRows,
    Optional<WatchPosition> position,
    boolean isKeysOnly,
    int partitionBytesMax,
    Duration outageMax) {

  /** Whole changes that come from now on; 64 KiB, and five minutes. */
  public static final WatchConfig FROM_NOW =
      new WatchConfig(false, Optional.empty(), false, 64 << 10, Duration.ofMinutes(5));

  /** Refuses rows together with a position. */
  public WatchConfig {
    Objects.requireNonNull(position, "position");
    if (hasRows && position.isPresent()) {
      throw new IllegalArgumentException(
          "a watch begins with the present rows, or behind a position, and not with both");
    }
    outageMax = Ticker.bounded(outageMax);
  }

  /**
   * A copy that first returns the present rows. A program that keeps a copy of the rows begins a
   * new copy with such a watch: rows that were deleted before do not come.
   */
  public WatchConfig withRows() {
    return new WatchConfig(true, Optional.empty(), isKeysOnly, partitionBytesMax, outageMax);
  }

  /** A copy that goes on behind what an earlier watch of the same keys has seen. */
  public WatchConfig behind(WatchPosition seen) {
    return new WatchConfig(false, Optional.of(seen), isKeysOnly, partitionBytesMax, outageMax);
  }

  /** A copy without columns. */
  public WatchConfig withKeysOnly() {
    return new WatchConfig(hasRows, position, true, partitionBytesMax, outageMax);
  }

  /** A copy with this {@code partitionBytesMax}. */
  public WatchConfig withPartitionBytesMax(int bytes) {
    return new WatchConfig(hasRows, position, isKeysOnly, bytes, outageMax);
  }

  /** A copy with this {@code outageMax}. */
  public WatchConfig withOutageMax(Duration longest) {
    return new WatchConfig(hasRows, position, isKeysOnly, partitionBytesMax, longest);
  }
}
