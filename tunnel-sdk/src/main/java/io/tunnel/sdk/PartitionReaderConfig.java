package io.tunnel.sdk;

import io.tunnel.sdk.transport.Ticker;
import java.time.Duration;

/**
 * Options of a {@link PartitionReader}. The byte limits count bytes that are delivered and not
 * released.
 *
 * @param partitionBytesMax most bytes of one partition, unless a single delivery is larger; 64 KiB
 *     to 1 GiB
 * @param readerBytesMax most bytes of all partitions together, 64 KiB to 1 GiB. Each partition gets
 *     an equal share, but at least 64 KiB; credit granted earlier is not taken back when further
 *     partitions start
 * @param outageMax longest time without delivery of a partition, because its servers cannot be
 *     reached or refuse temporarily, before reading fails; a value above a hundred years counts as
 *     a hundred years
 */
public record PartitionReaderConfig(int partitionBytesMax, int readerBytesMax, Duration outageMax) {

  /** 2 MiB for each partition, 64 MiB for all, and five minutes. */
  public static final PartitionReaderConfig DEFAULTS =
      new PartitionReaderConfig(2 << 20, 64 << 20, Duration.ofMinutes(5));

  private static final int BYTES_MIN = 64 << 10;
  private static final int BYTES_MAX = 1 << 30;

  /** Refuses values out of range. */
  public PartitionReaderConfig {
    requireBytes("partitionBytesMax", partitionBytesMax);
    requireBytes("readerBytesMax", readerBytesMax);
    if (outageMax.isNegative()) {
      throw new IllegalArgumentException("outageMax is at least 0, not " + outageMax);
    }
    outageMax = Ticker.bounded(outageMax);
  }

  private static void requireBytes(String name, int bytes) {
    if (bytes < BYTES_MIN || bytes > BYTES_MAX) {
      throw new IllegalArgumentException(
          name + " is " + BYTES_MIN + " to " + BYTES_MAX + " bytes, not " + bytes);
    }
  }

  /** A copy with this {@code partitionBytesMax}. */
  public PartitionReaderConfig withPartitionBytesMax(int bytes) {
    return new PartitionReaderConfig(bytes, readerBytesMax, outageMax);
  }

  /** A copy with this {@code readerBytesMax}. */
  public PartitionReaderConfig withReaderBytesMax(int bytes) {
    return new PartitionReaderConfig(partitionBytesMax, bytes, outageMax);
  }

  /** A copy with this {@code outageMax}. */
  public PartitionReaderConfig withOutageMax(Duration longest) {
    return new PartitionReaderConfig(partitionBytesMax, readerBytesMax, longest);
  }

  /** The byte limit of each partition when {@code partitions} are read together. */
  public int shareOf(int partitions) {
    int share = Math.max(BYTES_MIN, readerBytesMax / Math.max(1, partitions));
    return Math.min(partitionBytesMax, share);
  }
}
