/**
 * {@code tunnel bench seeds}: load tests that were published for other systems, run on this service
 * and on a peer. {@link io.tunnel.programs.bench.seeds.Workload} is a test as data, {@link
 * io.tunnel.programs.bench.seeds.ClosedLoop} the clients, {@link
 * io.tunnel.programs.bench.seeds.SeedsRun} what starts servers and measures.
 */
package io.tunnel.programs.bench.seeds;
