package io.tunnel.flink.sink;

import io.tunnel.sdk.TableWriterConfig;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * The settings of the sink's writers.
 *
 * @param batch how rows become batches
 * @param bufferBytesMax encoded bytes without an outcome at which a writer takes no more elements
 * @param rejected the reaction to rejected rows
 * @param conditions whether rows may have conditions
 * @param restarts whether a restarted task may write
 * @param repeatAttemptsMax how often uncertain rows are repeated
 */
record SinkSettings(
    BatchSettings batch,
    long bufferBytesMax,
    RejectedRows rejected,
    boolean conditions,
    boolean restarts,
    int repeatAttemptsMax)
    implements Serializable {

  private static final long serialVersionUID = 1L;

  static final SinkSettings DEFAULTS =
      new SinkSettings(
          new BatchSettings(
              TableWriterConfig.DEFAULTS.batchBytesMax(),
              TableWriterConfig.DEFAULTS.linger(),
              WriteDurability.TABLE),
          TableWriterConfig.DEFAULTS.bufferBytesMax(),
          RejectedRows.FAIL,
          false,
          true,
          5);

  SinkSettings {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(rejected, "rejected");
    if (bufferBytesMax < 1) {
      throw new IllegalArgumentException("bufferBytesMax is at least 1, not " + bufferBytesMax);
    }
    if (repeatAttemptsMax < 0) {
      throw new IllegalArgumentException(
          "repeatAttemptsMax is at least 0, not " + repeatAttemptsMax);
    }
  }

  SinkSettings withBatch(BatchSettings batches) {
    return new SinkSettings(
        batches, bufferBytesMax, rejected, conditions, restarts, repeatAttemptsMax);
  }

  SinkSettings withBufferBytesMax(long bytes) {
    return new SinkSettings(batch, bytes, rejected, conditions, restarts, repeatAttemptsMax);
  }

  SinkSettings withRejected(RejectedRows policy) {
    return new SinkSettings(batch, bufferBytesMax, policy, conditions, restarts, repeatAttemptsMax);
  }

  SinkSettings withConditions() {
    return new SinkSettings(batch, bufferBytesMax, rejected, true, restarts, repeatAttemptsMax);
  }

  SinkSettings withoutRestarts() {
    return new SinkSettings(batch, bufferBytesMax, rejected, conditions, false, repeatAttemptsMax);
  }

  SinkSettings withRepeatAttemptsMax(int attempts) {
    return new SinkSettings(batch, bufferBytesMax, rejected, conditions, restarts, attempts);
  }

  /**
   * The configuration of the SDK's writer. Its buffer has no limit, because {@code add} would block
   * the task's thread out of reach of cancellations and timers; {@link TunnelSinkWriter} keeps the
   * limit instead.
   */
  TableWriterConfig writerConfig() {
    TableWriterConfig config =
        TableWriterConfig.DEFAULTS
            .withBatchBytesMax(batch.bytesMax())
            .withLinger(batch.linger())
            .withBufferBytesMax(Long.MAX_VALUE);
    return batch.durability().of(config);
  }

  /**
   * How rows become batches.
   *
   * @param bytesMax encoded bytes after which a partition's batch is sent
   * @param linger how long a row waits at most for more rows
   * @param durability the failures that an acknowledged row survives
   */
  record BatchSettings(int bytesMax, Duration linger, WriteDurability durability)
      implements Serializable {

    private static final long serialVersionUID = 1L;

    BatchSettings {
      Objects.requireNonNull(durability, "durability");
      var unused =
          TableWriterConfig.DEFAULTS
              .withBatchBytesMax(bytesMax)
              .withLinger(Objects.requireNonNull(linger, "linger"));
    }
  }
}
