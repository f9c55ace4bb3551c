/**
 * The load of all benchmarks: clients that operate, each when its operation before is done or when
 * an operation is due. Needs nothing but the JDK, HdrHistogram and the clock of {@code
 * io.tunnel.stress}, so that the process of a peer can run it, too.
 */
package io.tunnel.programs.bench.load;
