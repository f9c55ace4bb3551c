/** A log with a record for each append, which the nodes of a simulated cluster share. */
package io.tunnel.it.sim.cluster.append;
