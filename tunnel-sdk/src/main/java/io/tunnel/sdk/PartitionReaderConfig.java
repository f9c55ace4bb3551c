package io.tunnel.sdk;

import io.tunnel.sdk.transport.Ticker;
import java.time.Duration;

/**
 * How a {@link PartitionReader} reads. Bytes are those that were delivered and are not released.
 *
 * @param partitionBytesMax bytes of one partition, if a single delivery is not larger; 64 KiB to 1
 *     GiB
 * @param readerBytesMax bytes of all partitions that are read together, of which each has the same
 *     share, but 64 KiB at least; what was granted to some before others came is not taken back; 64
 *     KiB to 1 GiB
 * @param outageMax how long a partition may not be delivered, because its server or all of them
 *     cannot be reached or refuse for the moment, before reading fails; more than a hundred years
 *     count as a hundred years
 */
public record PartitionReaderConfig(int partitionBytesMax, int readerBytesMax, Duration outageMax) {

  /** 2 MiB of each partition, 64 MiB of all, and five minutes. */
  public static final PartitionReaderConfig DEFAULTS =
      new PartitionReaderConfig(2 << 20, 64 << 20, Duration.ofMinutes(5));

  private static final int BYTES_MIN = 64 << 10;
  private static final int BYTES_MAX = 1 << 30;

  /** Refuses what is out of bounds. */
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

  /** A copy with other bytes of a partition. */
  public PartitionReaderConfig withPartitionBytesMax(int bytes) {
    return new PartitionReaderConfig(bytes, readerBytesMax, outageMax);
  }

  /** A copy with other bytes of all partitions together. */
  public PartitionReaderConfig withReaderBytesMax(int bytes) {
    return new PartitionReaderConfig(partitionBytesMax, bytes, outageMax);
  }

  /** A copy with another longest outage. */
  public PartitionReaderConfig withOutageMax(Duration longest) {
    return new PartitionReaderConfig(partitionBytesMax, readerBytesMax, longest);
  }

  /** Bytes of each of so many partitions that are read together. */
  public int shareOf(int partitions) {
    int share = Math.max(BYTES_MIN, readerBytesMax / Math.max(1, partitions));
    return Math.min(partitionBytesMax, share);
  }
}
