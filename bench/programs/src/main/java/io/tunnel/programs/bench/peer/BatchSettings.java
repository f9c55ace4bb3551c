package io.tunnel.programs.bench.peer;

/**
 * How writers make batches.
 *
 * @param lingerMs how long a row waits for others, the same for both
 * @param bufferBytes what Kafka's producer may hold; the tunnel's writer has its default, beyond
 *     which rows only grow old
 * @param kafkaBatchBytes {@code batch.size} of the producer
 * @param tunnelBatchBytes {@code batchBytesMax} of our writer
 */
public record BatchSettings(
    int lingerMs, long bufferBytes, int kafkaBatchBytes, int tunnelBatchBytes) {}
