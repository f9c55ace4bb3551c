/**
 * What the benchmarks do to a service, the same to ours and to others: rounds of writes, of reads
 * and of latencies, each of which knows only {@link io.tunnel.programs.bench.peer.Peer}.
 */
package io.tunnel.programs.bench.peer;
