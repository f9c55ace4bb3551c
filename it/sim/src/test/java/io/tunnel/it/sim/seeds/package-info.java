/** Many worlds: the seeds that a build runs, and the least share of worlds for each event. */
package io.tunnel.it.sim.seeds;
