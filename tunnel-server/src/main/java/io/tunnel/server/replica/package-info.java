/**
 * The replicas that a node keeps of partitions whose changes are in a log shared by many nodes, as
 * the other rooms of the node see the replicas: {@link io.tunnel.server.replica.NodeReplicas}. The
 * replicas themselves are in {@link io.tunnel.server.replica.append}, and snapshots of their rows
 * in {@link io.tunnel.server.replica.snapshot}.
 */
package io.tunnel.server.replica;
