package io.tunnel.server.cluster;

import java.util.Collections;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * A node's introduction to its group, by which placements are decided.
 *
 * @param name the node's name, unique in its cluster
 * @param incarnation differs between two starts of the same node
 * @param address HOST:PORT where clients reach the node
 * @param isDraining whether the node wants to lead and follow nothing
 * @param leads units that the node leads now or is about to
 * @param warm partitions whose replica on the node is nearly up to date, including all partitions
 *     that the node leads
 * @param levelMax the highest level that the node's build serves
 */
public record NodeInfo(
    String name,
    String incarnation,
    String address,
    boolean isDraining,
    Set<Integer> leads,
    Set<Integer> warm,
    int levelMax) {

  /** Refuses null and copies the sets. */
  public NodeInfo {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(incarnation, "incarnation");
    Objects.requireNonNull(address, "address");
    leads = Collections.unmodifiableSet(new TreeSet<>(leads));
    warm = Collections.unmodifiableSet(new TreeSet<>(warm));
  }
}
