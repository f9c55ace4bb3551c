/**
 * Our server beside Apache Kafka on one machine in one run: {@code SideBySideMain} starts both, and
 * rounds alternate between them. {@code docs/benchmarks.md} has the command and the results.
 *
 * <p>{@link io.tunnel.bench.peers.Peer} is what both are measured through; each test is one class
 * that knows no peer.
 */
package io.tunnel.bench.peers;
