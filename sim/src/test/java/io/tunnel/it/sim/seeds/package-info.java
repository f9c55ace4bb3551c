/** Worlds in numbers: which seeds a build runs, and what must have happened in how many of them. */
package io.tunnel.it.sim.seeds;
