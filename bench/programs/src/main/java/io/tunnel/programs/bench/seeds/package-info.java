/**
 * {@code tunnel bench seeds}: load tests that were published for other systems, run on this service
 * and on a peer. {@link io.tunnel.programs.bench.seeds.Workload} is a test as data, {@link
 * io.tunnel.programs.bench.seeds.ClosedLoop} the clients, {@link
 * io.tunnel.programs.bench.seeds.SeedsRun} what starts servers and measures.
 *
 * <p>Gson parses a workload, and {@link io.tunnel.programs.bench.seeds.JsonPlace} reads the
 * records. Gson's own reading of records does not serve here: it skips unknown members, takes
 * {@code "2"} for a number and 0 for a missing one, and names no place. The members and bounds of a
 * load also depend on the kind of its workload, and its operations on those of the workload.
 */
package io.tunnel.programs.bench.seeds;
