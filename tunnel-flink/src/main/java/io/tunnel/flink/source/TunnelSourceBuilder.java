package io.tunnel.flink.source;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.Objects;

/**
 * Describes a {@link TunnelSource}: the table, and the rows and changes to read. By default, the
 * source reads all kept and future changes.
 *
 * @param <T> the elements of the schema
 */
public final class TunnelSourceBuilder<T> {

  private final TunnelDeserializationSchema<T> schema;
  private String endpoint = "localhost";
  private String table = "";
  private TunnelType type = TunnelType.Stream;
  private StartAt start = StartAt.earliest();
  private EndAt end = EndAt.never();
  private String reportTo = "";
  private SourceSettings.Reading reading = SourceSettings.Reading.DEFAULTS;

  TunnelSourceBuilder(TunnelDeserializationSchema<T> schema) {
    this.schema = Objects.requireNonNull(schema, "schema");
  }

  /** Sets the endpoints of the service: {@code host:port}, with commas between several. */
  public TunnelSourceBuilder<T> endpoint(String endpoints) {
    endpoint = endpoints;
    return this;
  }

  /** Sets the table. */
  public TunnelSourceBuilder<T> table(String name) {
    table = name;
    return this;
  }

  /**
   * Sets what to read: {@code BaseData} reads the present rows and ends, {@code Stream} reads
   * changes, {@code BaseAndStream} reads the rows and then all changes that the rows do not
   * contain.
   */
  public TunnelSourceBuilder<T> type(TunnelType what) {
    type = what;
    return this;
  }

  /** Sets the start of the changes for a job without a checkpoint. */
  public TunnelSourceBuilder<T> startAt(StartAt where) {
    start = where;
    return this;
  }

  /** Sets the end of the changes. */
  public TunnelSourceBuilder<T> endAt(EndAt where) {
    end = where;
    return this;
  }

  /**
   * Reports the progress of completed checkpoints as checkpoints of a tunnel of the table, so that
   * operators see the job's lag. The tunnel should have no workers.
   */
  public TunnelSourceBuilder<T> reportTo(String tunnel) {
    reportTo = Objects.requireNonNull(tunnel, "tunnel");
    return this;
  }

  /** Sets how many bytes of a partition may wait in a reader's memory. */
  public TunnelSourceBuilder<T> partitionBytesMax(int bytes) {
    return reading(bytes, reading.readerBytesMax(), reading.outageMax(), reading.discovery());
  }

  /**
   * Sets how many bytes of all partitions may wait in a reader's memory; each partition's share is
   * at least 64 KiB.
   */
  public TunnelSourceBuilder<T> readerBytesMax(int bytes) {
    return reading(reading.partitionBytesMax(), bytes, reading.outageMax(), reading.discovery());
  }

  /** Sets how long a partition may be unavailable before the job fails, and Flink restarts it. */
  public TunnelSourceBuilder<T> outageMax(Duration longest) {
    return reading(
        reading.partitionBytesMax(), reading.readerBytesMax(), longest, reading.discovery());
  }

  /** Sets how often to look for new partitions; zero for never. */
  public TunnelSourceBuilder<T> discovery(Duration every) {
    return reading(
        reading.partitionBytesMax(), reading.readerBytesMax(), reading.outageMax(), every);
  }

  private TunnelSourceBuilder<T> reading(
      int partitionBytesMax, int readerBytesMax, Duration outageMax, Duration discovery) {
    reading = new SourceSettings.Reading(partitionBytesMax, readerBytesMax, outageMax, discovery);
    return this;
  }

  /**
   * Builds the source.
   *
   * @throws IllegalArgumentException when settings conflict; the message names the remedy
   */
  public TunnelSource<T> build() {
    return new TunnelSource<>(
        new SourceSettings(new TunnelOptions(endpoint, table), type, start, end, reportTo, reading),
        schema);
  }
}
