package io.tunnel.sdk;

import io.tunnel.model.Durability;
import io.tunnel.model.Limits;
import io.tunnel.sdk.transport.Ticker;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Limits of a {@link TableWriter}'s batches and buffer.
 *
 * @param batchBytesMax encoded bytes after which a partition's batch is closed; a larger row makes
 *     a batch of its own
 * @param linger how long a row waits at most for more rows of its partition; zero to send at once
 *     whenever the partition has no batch in flight; more than a hundred years count as a hundred
 *     years
 * @param bufferBytesMax encoded bytes of rows without an outcome after which {@link
 *     TableWriter#add} blocks; each calling thread may exceed the limit by one row. The row objects
 *     take memory, too, usually two to four times as much
 * @param durability the durability of the writes instead of the table's
 * @param isStoppedByFailure whether the writer sends nothing more after a row that was not sent, or
 *     whose answer stayed out until the deadline: rows after it end as {@code NOT_SENT}. So whoever
 *     writes the rows without a result again in their order overwrites no newer row
 */
public record TableWriterConfig(
    int batchBytesMax,
    Duration linger,
    long bufferBytesMax,
    Optional<Durability> durability,
    boolean isStoppedByFailure) {

  /**
   * 256 KiB, 5 ms, 8 MiB, the table's durability. A larger buffer costs more than it gives: garbage
   * collections copy the waiting row objects (measured with 220-byte rows: 0.7 us of CPU per row
   * with 8 MiB, 2.2 us with 32 MiB, at the same rate).
   */
  public static final TableWriterConfig DEFAULTS =
      new TableWriterConfig(256 * 1024, Duration.ofMillis(5), 8L << 20, Optional.empty(), false);

  /** Refuses null, negative times, and sizes under 1 byte or over a batch's limit. */
  public TableWriterConfig {
    if (batchBytesMax < 1 || batchBytesMax > Limits.BATCH_BYTES_MAX) {
      throw new IllegalArgumentException(
          "batchBytesMax is 1 to " + Limits.BATCH_BYTES_MAX + ", not " + batchBytesMax);
    }
    if (linger.isNegative()) {
      throw new IllegalArgumentException("linger is at least 0, not " + linger);
    }
    linger = Ticker.bounded(linger);
    if (bufferBytesMax < 1) {
      throw new IllegalArgumentException("bufferBytesMax is at least 1, not " + bufferBytesMax);
    }
    Objects.requireNonNull(durability, "durability");
  }

  /** A copy with another batch size. */
  public TableWriterConfig withBatchBytesMax(int bytes) {
    return new TableWriterConfig(bytes, linger, bufferBytesMax, durability, isStoppedByFailure);
  }

  /** A copy with another linger. */
  public TableWriterConfig withLinger(Duration time) {
    return new TableWriterConfig(
        batchBytesMax, time, bufferBytesMax, durability, isStoppedByFailure);
  }

  /** A copy with another limit of the buffer. */
  public TableWriterConfig withBufferBytesMax(long bytes) {
    return new TableWriterConfig(batchBytesMax, linger, bytes, durability, isStoppedByFailure);
  }

  /** A copy with another durability. */
  public TableWriterConfig withDurability(Durability level) {
    return new TableWriterConfig(
        batchBytesMax, linger, bufferBytesMax, Optional.of(level), isStoppedByFailure);
  }

  /** A copy for a writer that sends nothing more after a row that was not sent. */
  public TableWriterConfig stoppedByFailure() {
    return new TableWriterConfig(batchBytesMax, linger, bufferBytesMax, durability, true);
  }
}
