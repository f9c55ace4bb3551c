package io.tunnel.server.cluster;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a node says of itself when leadership is decided.
 *
 * @param name what the user calls it; no two nodes of a cluster have the same
 * @param incarnation differs between two starts of the same node
 * @param address where clients reach it, as HOST:PORT
 * @param isDraining whether it wants to lead and follow nothing
 * @param leads units that it leads now, or is about to
 * @param warm partitions of which it has a replica that is nearly up to date; those that it leads
 *     are always among them
 */
public record NodeInfo(
    String name,
    String incarnation,
    String address,
    boolean isDraining,
    Set<Integer> leads,
    Set<Integer> warm) {

  /** Refuses null and copies the sets. */
  public NodeInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(address, "address");
    leads = Collections.unmodifiableSet(new TreeSet<>(leads));
    warm = Collections.unmodifiableSet(new TreeSet<>(warm));
  }
}
