package io.tunnel.bench.peers;

/**
 * How writers make batches.
 *
 * @param lingerMs how long a row waits for others, the same for both
 * @param bufferBytes what may be under way, the same for both
 * @param kafkaBatchBytes {@code batch.size} of the producer
 * @param tunnelBatchBytes {@code batchBytesMax} of our writer
 */
record BatchSettings(int lingerMs, long bufferBytes, int kafkaBatchBytes, int tunnelBatchBytes) {}
