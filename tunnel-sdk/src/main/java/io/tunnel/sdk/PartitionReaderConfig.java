package io.tunnel.sdk;

import java.time.Duration;

/**
 * How a {@link PartitionReader} reads.
 *
 * @param partitionBytesMax bytes of one partition that were delivered and are not released, if a
 *     single delivery is not larger; 64 KiB to 1 GiB
 * @param outageMax how long a partition may not be delivered, because its server or all of them
 *     cannot be reached or refuse for the moment, before reading fails
 */
public record PartitionReaderConfig(int partitionBytesMax, Duration outageMax) {

  /** 2 MiB of each partition, and five minutes. */
  public static final PartitionReaderConfig DEFAULTS =
      new PartitionReaderConfig(2 << 20, Duration.ofMinutes(5));

  private static final int BYTES_MIN = 64 << 10;
  private static final int BYTES_MAX = 1 << 30;

  /** Refuses what is out of bounds. */
  public PartitionReaderConfig {
    if (partitionBytesMax < BYTES_MIN || partitionBytesMax > BYTES_MAX) {
      throw new IllegalArgumentException(
          "partitionBytesMax is "
              + BYTES_MIN
              + " to "
              + BYTES_MAX
              + " bytes, not "
              + partitionBytesMax);
    }
    if (outageMax.isNegative()) {
      throw new IllegalArgumentException("outageMax is at least 0, not " + outageMax);
    }
  }

  /** A copy with other bytes of a partition. */
  public PartitionReaderConfig withPartitionBytesMax(int bytes) {
    return new PartitionReaderConfig(bytes, outageMax);
  }

  /** A copy with another longest outage. */
  public PartitionReaderConfig withOutageMax(Duration longest) {
    return new PartitionReaderConfig(partitionBytesMax, longest);
  }
}
