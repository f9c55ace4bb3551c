/**
 * Machines without a machine: threads, sockets, processes and a network that one agenda runs in one
 * thread.
 */
package io.tunnel.it.sim.machine;
