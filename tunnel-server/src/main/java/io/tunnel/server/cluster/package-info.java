/**
 * Many nodes as one service: the members, the leader of each unit, and how each node learns and
 * does its part. {@link io.tunnel.server.cluster.PlacementCore} decides; {@link
 * io.tunnel.server.cluster.Membership} carries the decision to all nodes.
 */
package io.tunnel.server.cluster;
