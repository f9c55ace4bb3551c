package io.tunnel.flink.source;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.model.TunnelType;
import java.time.Duration;
import java.util.Objects;

/**
 * Describes a {@link TunnelSource}: where the table is, and what of it is read. Without more it
 * reads all changes that are kept and those to come.
 *
 * @param <T> what the schema makes of records
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

  /** Where the service listens: one or several {@code host:port} with commas between them. */
  public TunnelSourceBuilder<T> endpoint(String endpoints) {
    endpoint = endpoints;
    return this;
  }

  /** The table. */
  public TunnelSourceBuilder<T> table(String name) {
    table = name;
    return this;
  }

  /**
   * {@code BaseData} reads the rows as they are and ends, {@code Stream} reads changes, {@code
   * BaseAndStream} the rows and then all changes that these do not contain.
   */
  public TunnelSourceBuilder<T> type(TunnelType what) {
    type = what;
    return this;
  }

  /** Where changes begin when the job has no checkpoint of its own. */
  public TunnelSourceBuilder<T> startAt(StartAt where) {
    start = where;
    return this;
  }

  /** Where changes end. */
  public TunnelSourceBuilder<T> endAt(EndAt where) {
    end = where;
    return this;
  }

  /**
   * Reports what completed checkpoints of the job have processed as the checkpoints of a tunnel of
   * the table, so that operators see the job's lag. The tunnel should have no workers.
   */
  public TunnelSourceBuilder<T> reportTo(String tunnel) {
    reportTo = Objects.requireNonNull(tunnel, "tunnel");
    return this;
  }

  /** Bytes of a partition that may wait in a reader's memory. */
  public TunnelSourceBuilder<T> partitionBytesMax(int bytes) {
    return reading(bytes, reading.readerBytesMax(), reading.outageMax(), reading.discovery());
  }

  /**
   * Bytes of all partitions together that may wait in a reader's memory; they share it, 64 KiB for
   * each at least.
   */
  public TunnelSourceBuilder<T> readerBytesMax(int bytes) {
    return reading(reading.partitionBytesMax(), bytes, reading.outageMax(), reading.discovery());
  }

  /** How long a partition may not be served before the job fails, and is restarted by Flink. */
  public TunnelSourceBuilder<T> outageMax(Duration longest) {
    return reading(
        reading.partitionBytesMax(), reading.readerBytesMax(), longest, reading.discovery());
  }

  /** How often new partitions are looked for; zero for never. */
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
   * The source.
   *
   * @throws IllegalArgumentException when what was said does not fit together; says what would
   */
  public TunnelSource<T> build() {
    return new TunnelSource<>(
        new SourceSettings(new TunnelOptions(endpoint, table), type, start, end, reportTo, reading),
        schema);
  }
}
