package io.tunnel.flink.sink;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.sink.SinkSettings.BatchSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * Describes a {@link TunnelSink}: the table, and the settings of its writers.
 *
 * @param <T> the elements
 */
public final class TunnelSinkBuilder<T> {

  private final TunnelSerializationSchema<T> schema;
  private String endpoint = "localhost";
  private String table = "";
  private SinkSettings settings = SinkSettings.DEFAULTS;

  TunnelSinkBuilder(TunnelSerializationSchema<T> schema) {
    this.schema = Objects.requireNonNull(schema, "schema");
  }

  /** Sets the endpoints of the service: {@code host:port}, with commas between several. */
  public TunnelSinkBuilder<T> endpoint(String endpoints) {
    endpoint = endpoints;
    return this;
  }

  /** Sets the table. */
  public TunnelSinkBuilder<T> table(String name) {
    table = name;
    return this;
  }

  /** Sets the encoded bytes after which a partition's batch is sent; default 256 KiB. */
  public TunnelSinkBuilder<T> batchBytesMax(int bytes) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(bytes, batch.linger(), batch.durability())));
  }

  /** Sets how long a row waits at most for more rows of its partition; default 5 ms. */
  public TunnelSinkBuilder<T> linger(Duration time) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(batch.bytesMax(), time, batch.durability())));
  }

  /** Sets the failures that an acknowledged row survives; default the table's option. */
  public TunnelSinkBuilder<T> durability(WriteDurability level) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(batch.bytesMax(), batch.linger(), level)));
  }

  /**
   * Sets the encoded bytes of rows without an outcome at which a writer makes the job wait; default
   * 8 MiB. One row may exceed the limit.
   */
  public TunnelSinkBuilder<T> bufferBytesMax(long bytes) {
    return with(settings.withBufferBytesMax(bytes));
  }

  /** Sets the reaction to rejected rows; by default the job fails. */
  public TunnelSinkBuilder<T> rejectedRows(RejectedRows policy) {
    return with(settings.withRejected(policy));
  }

  /**
   * Lets changes have conditions and increments. A change whose condition does not hold is skipped
   * and counted as {@code rowsUnmet}. A restored job judges conditions again, perhaps against later
   * rows, and adds again what it has added. So conditions are only for jobs whose results do not
   * depend on the difference, for instance because they change each row once, and increments only
   * for counters that may count too much.
   */
  public TunnelSinkBuilder<T> withConditions() {
    return with(settings.withConditions());
  }

  /**
   * Ends the job when Flink restarts a writer's task, under every restart strategy and even before
   * the first write. For jobs that compute their results from rows of the table that they write:
   * restarted, such a job would read its own results. A new job manager counts restarts from zero,
   * which a sink cannot see.
   */
  public TunnelSinkBuilder<T> withoutRestarts() {
    return with(settings.withoutRestarts());
  }

  /**
   * Sets how often unsent and uncertain rows are repeated before the job fails; default 5, with
   * pauses that double from 100 ms to 5 s.
   */
  public TunnelSinkBuilder<T> repeatAttemptsMax(int attempts) {
    return with(settings.withRepeatAttemptsMax(attempts));
  }

  private TunnelSinkBuilder<T> with(SinkSettings changed) {
    settings = changed;
    return this;
  }

  /**
   * Builds the sink.
   *
   * @throws IllegalArgumentException when the endpoint or the table name is malformed
   */
  public TunnelSink<T> build() {
    return new TunnelSink<>(new TunnelOptions(endpoint, table), schema, settings);
  }
}
