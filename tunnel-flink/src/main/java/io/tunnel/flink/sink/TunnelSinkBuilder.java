package io.tunnel.flink.sink;

import io.tunnel.flink.TunnelOptions;
import io.tunnel.flink.sink.SinkSettings.BatchSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * Describes a {@link TunnelSink}: where the table is, and how it is written.
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

  /** Where the service listens: one or several {@code host:port} with commas between them. */
  public TunnelSinkBuilder<T> endpoint(String endpoints) {
    endpoint = endpoints;
    return this;
  }

  /** The table. */
  public TunnelSinkBuilder<T> table(String name) {
    table = name;
    return this;
  }

  /** Encoded bytes after which a partition's batch is sent; 256 KiB. */
  public TunnelSinkBuilder<T> batchBytesMax(int bytes) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(bytes, batch.linger(), batch.durability())));
  }

  /** How long a row waits for others of its partition at most; 5 ms. */
  public TunnelSinkBuilder<T> linger(Duration time) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(batch.bytesMax(), time, batch.durability())));
  }

  /** What an acknowledged row survives; what the table's options say. */
  public TunnelSinkBuilder<T> durability(WriteDurability level) {
    BatchSettings batch = settings.batch();
    return with(settings.withBatch(new BatchSettings(batch.bytesMax(), batch.linger(), level)));
  }

  /**
   * Encoded bytes of rows without an outcome from which on each writer takes no more elements, so
   * that the job waits for the service; 8 MiB. One row may go over it.
   */
  public TunnelSinkBuilder<T> bufferBytesMax(long bytes) {
    return with(settings.withBufferBytesMax(bytes));
  }

  /** What becomes of rows that the service rejects; the job fails. */
  public TunnelSinkBuilder<T> rejectedRows(RejectedRows policy) {
    return with(settings.withRejected(policy));
  }

  /**
   * Lets changes have row-existence conditions. A change whose condition does not hold is left out
   * and counted as {@code rowsUnmet}. A restored job asks again, of rows that may be later ones: so
   * conditions are only for jobs whose result does not depend on that, for instance because they
   * change each row once.
   */
  public TunnelSinkBuilder<T> withConditions() {
    return with(settings.withConditions());
  }

  /**
   * Ends the job when Flink starts a writer's task again, whatever the restart strategy and also
   * when nothing was written yet: for jobs that compute what they write from rows of the table that
   * they write to. Started again, such a job would take its own results for what was there before.
   * A job manager that replaces another one counts starts anew, which no sink can see.
   */
  public TunnelSinkBuilder<T> withoutRestarts() {
    return with(settings.withoutRestarts());
  }

  /**
   * How often rows are written again that the SDK could not send, or does not know the outcome of,
   * before the job fails; 5, with pauses that double from 100 ms to 5 s.
   */
  public TunnelSinkBuilder<T> repeatAttemptsMax(int attempts) {
    return with(settings.withRepeatAttemptsMax(attempts));
  }

  private TunnelSinkBuilder<T> with(SinkSettings changed) {
    settings = changed;
    return this;
  }

  /**
   * The sink.
   *
   * @throws IllegalArgumentException when the endpoint or the table cannot be one
   */
  public TunnelSink<T> build() {
    return new TunnelSink<>(new TunnelOptions(endpoint, table), schema, settings);
  }
}
