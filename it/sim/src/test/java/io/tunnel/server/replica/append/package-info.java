/** Replicas of partitions, whose threads are the simulation's. */
package io.tunnel.server.replica.append;
