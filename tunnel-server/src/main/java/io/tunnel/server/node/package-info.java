/**
 * The engine of a node of a cluster: {@link io.tunnel.server.node.NodeRooms} joins the rooms of a
 * node, in a simulation too, and {@link io.tunnel.server.node.ClusterEngine} gives it a directory,
 * threads and Kafka.
 */
package io.tunnel.server.node;
