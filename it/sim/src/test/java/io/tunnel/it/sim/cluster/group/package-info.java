/** The group of all nodes of a simulated cluster, and which of them are reached just now. */
package io.tunnel.it.sim.cluster.group;
