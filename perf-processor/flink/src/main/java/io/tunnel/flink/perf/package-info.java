/**
 * The rates of a table as a Flink job, for {@code tunnel perf --engine flink} and for {@code flink
 * run}.
 *
 * <p>Readers count in {@link io.tunnel.flink.perf.LocalWindows} what they read, for each channel
 * and window of commit times, and tell it once a second; {@link io.tunnel.flink.perf.TotalWindows}
 * adds that up in one task, and gives windows that are complete to the client, which prints them.
 */
package io.tunnel.flink.perf;
