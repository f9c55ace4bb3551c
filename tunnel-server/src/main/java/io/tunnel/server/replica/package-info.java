/**
 * The replica that a node keeps of a partition whose changes are in a log shared by many nodes: it
 * follows the log, and leads the partition when it is asked to. {@link
 * io.tunnel.server.replica.ReplicaCore} decides what every record of that log means; {@link
 * io.tunnel.server.replica.SharedLog} is the log, as far as this room needs it.
 */
package io.tunnel.server.replica;
