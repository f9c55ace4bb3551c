/**
 * {@code tunnel bench}: what this machine can do with the service, measured on servers that the
 * benchmarks start themselves as processes on loopback.
 *
 * <p>{@code peer} has what is done to a service, {@code kafka} does the same to Kafka, {@code
 * beside} holds one against the other, {@code report} has what becomes of the numbers; here are the
 * subcommands and what they share: {@link io.tunnel.programs.bench.Ground} is where a benchmark
 * runs, {@link io.tunnel.programs.bench.MeasuredCommand} how it begins and ends.
 */
package io.tunnel.programs.bench;
