/**
 * {@code tunnel bench}: measures the service on this machine, with servers that the benchmarks
 * start as child processes on loopback.
 *
 * <p>{@code peer} holds the rounds that measure any service, {@code kafka} makes Kafka such a
 * service, {@code beside} compares two services, {@code report} writes the results. This package
 * holds the subcommands: a benchmark runs on a {@link io.tunnel.programs.bench.Ground}, and {@link
 * io.tunnel.programs.bench.MeasuredCommand} begins and ends it.
 */
package io.tunnel.programs.bench;
