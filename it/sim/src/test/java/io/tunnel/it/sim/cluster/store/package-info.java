/** What is kept of a simulated cluster's catalog and tunnels, and who reads and writes it. */
package io.tunnel.it.sim.cluster.store;
