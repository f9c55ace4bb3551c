/**
 * Reading a table in Apache Flink, beside the SDK's worker, and beside Flink's connector for Kafka
 * that reads the same rows from a real broker. {@code docs/internals/notes/flink.md} has the
 * command and the results.
 *
 * <p>{@code FlinkMain} starts both servers and then one process after another, to measure the CPU
 * time of each process: a {@code LegMain} for each leg of each round, and a {@code RecoveryMain}
 * for each source. These processes receive and print JSON ({@code Child}).
 */
package io.tunnel.bench.flink;
