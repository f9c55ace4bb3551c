/**
 * A deterministic simulation of a whole cluster: one seed, one cluster. See docs/how-it-is-tested.md.
 *
 * <p>A {@link io.tunnel.it.sim.cluster.ClusterWorld} has machines with nodes (the real copies,
 * placements, coordinators and connections), the log and the stores that they share, the group of
 * all nodes, and workers, which are the SDK's own. Log, stores and group are models that delay,
 * lose answers, and let things happen later than anybody believes. All of it runs in one thread, in
 * the order of one agenda. {@code ClusterTruth} compares what everybody was promised with what the
 * log says to one who has read all of it.
 */
package io.tunnel.it.sim.cluster;
