/**
 * Our server beside Apache Kafka on one machine in one run: {@code SideBySideMain} starts both, and
 * rounds alternate between them. {@code docs/benchmarks.md} has the command and the results.
 *
 * <p>{@link io.tunnel.cli.bench.peer.Peer} is what both are measured through; what is done to them
 * is that package's.
 */
package io.tunnel.bench.peers;
