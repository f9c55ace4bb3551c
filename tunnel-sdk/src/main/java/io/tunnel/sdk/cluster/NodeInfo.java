package io.tunnel.sdk.cluster;

import java.util.List;
import java.util.Objects;

/**
 * A member of a cluster, and what was decided for it. What it does already, its {@link NodeStatus}
 * says.
 *
 * @param name as it was configured; unique in the cluster
 * @param incarnation another one after each start of the node
 * @param address where clients reach it, as HOST:PORT
 * @param isDraining whether it is being emptied, and is given nothing to lead
 * @param leads ids of the partitions that it is to lead
 * @param standbys ids of the partitions of which it is to keep a replica without leading them
 * @param tunnelGroups how many groups of tunnels it is to coordinate
 * @param isCatalogLeader whether it is to decide about tables
 */
public record NodeInfo(
    String name,
    String incarnation,
    String address,
    boolean isDraining,
    List<Integer> leads,
    List<Integer> standbys,
    int tunnelGroups,
    boolean isCatalogLeader) {

  /** Refuses null and copies the lists. */
  public NodeInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(address, "address");
    leads = List.copyOf(leads);
    standbys = List.copyOf(standbys);
  }
}
