/** Replicas of a log of appends, whose threads are the simulation's. */
package io.tunnel.server.replica.append;
