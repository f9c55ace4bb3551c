/**
 * A deterministic simulation of a whole cluster: one seed, one cluster. See
 * docs/internals/proving.md.
 *
 * <p>A {@link io.tunnel.it.sim.cluster.ClusterWorld} has machines with nodes (the real copies,
 * placements, coordinators and connections), the log and the stores that they share, the group of
 * all nodes, and workers, which are the SDK's own. Log, stores and group are models that delay,
 * lose answers, and let things happen later than anybody believes. A cluster runs in one thread, in
 * the order of an agenda. {@code ClusterTruth} compares the promises to all clients with the
 * contents of the whole log.
 */
package io.tunnel.it.sim.cluster;
