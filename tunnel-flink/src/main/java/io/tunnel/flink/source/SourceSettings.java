package io.tunnel.flink.source;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.PartitionReaderConfig;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * What a source reads, and how.
 *
 * @param table of which service
 * @param type rows, changes, or rows and then changes without a gap
 * @param start where changes begin
 * @param end where they end
 * @param reportTo the tunnel whose checkpoints say how far completed checkpoints of the job are;
 *     empty for none
 * @param reading limits
 */
public record SourceSettings(
    TunnelOptions table,
    TunnelType type,
    StartAt start,
    EndAt end,
    String reportTo,
    Reading reading)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  /**
   * Limits of reading.
   *
   * @param partitionBytesMax as {@link PartitionReaderConfig} has it
   * @param readerBytesMax as {@link PartitionReaderConfig} has it
   * @param outageMax as {@link PartitionReaderConfig} has it
   * @param discovery how often new partitions are looked for; zero for never
   */
  public record Reading(
      int partitionBytesMax, int readerBytesMax, Duration outageMax, Duration discovery)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /** What is right for most. */
    public static final Reading DEFAULTS =
        new Reading(
            PartitionReaderConfig.DEFAULTS.partitionBytesMax(),
            PartitionReaderConfig.DEFAULTS.readerBytesMax(),
            PartitionReaderConfig.DEFAULTS.outageMax(),
            Duration.ofSeconds(30));

    /** Refuses what is out of bounds. */
    public Reading {
      var unused = new PartitionReaderConfig(partitionBytesMax, readerBytesMax, outageMax);
      if (discovery.isNegative()) {
        throw new IllegalArgumentException("discovery is at least 0, not " + discovery);
      }
    }

    /** These limits as the SDK takes them. */
    public PartitionReaderConfig readerConfig() {
      return new PartitionReaderConfig(partitionBytesMax, readerBytesMax, outageMax);
    }
  }

  /** Refuses null, and starts and ends that have no meaning for rows. */
  public SourceSettings {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(end, "end");
    Objects.requireNonNull(reportTo, "reportTo");
    Objects.requireNonNull(reading, "reading");
    boolean startsSomewhere = start instanceof StartAt.Timestamp || start instanceof StartAt.Latest;
    if (type != TunnelType.Stream && startsSomewhere) {
      throw new IllegalArgumentException(
          "rows are read before changes, so that these start where the rows were: " + start);
    }
    if (type == TunnelType.BaseData && !(end instanceof EndAt.Never)) {
      throw new IllegalArgumentException("rows end where they end, not at " + end);
    }
    if (start instanceof StartAt.Timestamp from
        && end instanceof EndAt.Timestamp to
        && to.epochMs() < from.epochMs()) {
      throw new IllegalArgumentException(
          "changes end before they start: " + to.epochMs() + " ms is before " + from.epochMs());
    }
    if (type == TunnelType.BaseData && !reportTo.isEmpty()) {
      throw new IllegalArgumentException(
          "progress in changes can be reported to tunnel " + reportTo + ", none in rows");
    }
  }

  /** The tunnel that is told of progress, if any is. */
  public Optional<String> reports() {
    return reportTo.isEmpty() ? Optional.empty() : Optional.of(reportTo);
  }

  /** Whether it ends by itself. */
  public boolean isBounded() {
    return type == TunnelType.BaseData || !(end instanceof EndAt.Never);
  }
}
