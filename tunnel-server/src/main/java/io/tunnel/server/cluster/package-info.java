/**
 * Many nodes as one service: who they are, who leads what, and how each node comes to do its part.
 * {@link io.tunnel.server.cluster.PlacementCore} decides; {@link
 * io.tunnel.server.cluster.Membership} carries the decision to all nodes.
 */
package io.tunnel.server.cluster;
