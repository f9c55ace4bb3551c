package io.tunnel.flink.sink;

import io.tunnel.sdk.TableWriterConfig;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;

/**
 * How a writer of the sink collects and repeats.
 *
 * @param batch how rows become batches
 * @param bufferBytesMax encoded bytes without an outcome from which on a writer takes no elements
 * @param rejected what becomes of rows that the service rejects
 * @param conditions whether rows may have conditions
 * @param restarts whether a task that Flink has started again may write
 * @param repeatAttemptsMax how often rows without a certain outcome are written again
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
   * What the SDK's writer is given. Its own buffer has no limit, because {@code add} would block
   * the task's thread where neither a cancellation nor a timer reaches it; {@link TunnelSinkWriter}
   * keeps the limit instead.
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
   * @param linger how long a row waits for others at most
   * @param durability what an acknowledged row survives
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
