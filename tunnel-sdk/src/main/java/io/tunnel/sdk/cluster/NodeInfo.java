package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * A member of a cluster with its assigned roles. {@link NodeStatus} tells which of the roles the
 * node has taken.
 *
 * @param name the node's configured name, unique in the cluster
 * @param incarnation changes with each start of the node
 * @param address the address for clients, as HOST:PORT
 * @param isDraining whether the node is being emptied, and gets no new role
 * @param leads ids of the partitions that the node should lead
 * @param standbys ids of the partitions of which the node should keep a replica without leading
 * @param tunnelGroups how many groups of tunnels the node should coordinate
 * @param isCatalogLeader whether the node should decide about tables
 * @param levelMax the highest level that the node's build serves
 */
public record NodeInfo(
    String name,
    String incarnation,
    String address,
    boolean isDraining,
    List<Integer> leads,
    List<Integer> standbys,
    int tunnelGroups,
    boolean isCatalogLeader,
    int levelMax) {

  /** Refuses null and copies the lists. */
  public NodeInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(address, "address");
    leads = List.copyOf(leads);
    standbys = List.copyOf(standbys);
  }
}
