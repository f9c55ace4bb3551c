/**
 * The replica that a node keeps of a partition whose changes are in a log shared by many nodes: it
 * follows the log, and leads the partition when it is asked to. {@link
 * io.tunnel.server.replica.Replicas} is all of them to the other rooms, a {@code ReplicaShard} the
 * thread of some, a {@code Replica} one of them. What a record of the log means is decided in
 * {@link io.tunnel.server.replica.shared}; what leads is in {@link io.tunnel.server.replica.lead},
 * and what reads old changes in {@link io.tunnel.server.replica.history}.
 */
package io.tunnel.server.replica;
