package io.tunnel.flink.source;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.TunnelType;
import io.tunnel.sdk.PartitionReaderConfig;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of a source.
 *
 * @param table the table and its service
 * @param type rows, changes, or rows and then changes without a gap
 * @param start where changes start
 * @param end where changes end
 * @param reportTo the tunnel that gets the progress of completed checkpoints; empty for none
 * @param reading the limits of reading
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
   * @param partitionBytesMax see {@link PartitionReaderConfig}
   * @param readerBytesMax see {@link PartitionReaderConfig}
   * @param outageMax see {@link PartitionReaderConfig}
   * @param discovery how often to look for new partitions; zero for never
   */
  public record Reading(
      int partitionBytesMax, int readerBytesMax, Duration outageMax, Duration discovery)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The defaults. */
    public static final Reading DEFAULTS =
        new Reading(
            PartitionReaderConfig.DEFAULTS.partitionBytesMax(),
            PartitionReaderConfig.DEFAULTS.readerBytesMax(),
            PartitionReaderConfig.DEFAULTS.outageMax(),
            Duration.ofSeconds(30));

    /** Refuses values out of bounds. */
    public Reading {
      var unused = new PartitionReaderConfig(partitionBytesMax, readerBytesMax, outageMax);
      if (discovery.isNegative()) {
        throw new IllegalArgumentException("discovery is at least 0, not " + discovery);
      }
    }

    /** The limits as the SDK's configuration. */
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

  /** The tunnel that gets the progress, if any. */
  public Optional<String> reports() {
    return reportTo.isEmpty() ? Optional.empty() : Optional.of(reportTo);
  }

  /** Whether the source ends by itself. */
  public boolean isBounded() {
    return type == TunnelType.BaseData || !(end instanceof EndAt.Never);
  }
}
