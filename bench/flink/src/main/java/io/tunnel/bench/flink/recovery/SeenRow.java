package io.tunnel.bench.flink.recovery;

/**
 * A row as a job that recovers sees it.
 *
 * @param partition where it is
 * @param ordinal its place there: 1, 2, 3
 * @param committedMs when it was committed (to our table) or made (for Kafka), since 1970
 */
record SeenRow(int partition, long ordinal, long committedMs) {}
