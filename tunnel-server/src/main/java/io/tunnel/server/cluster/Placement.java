package io.tunnel.server.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Gives each unit a leader, and each partition nodes that keep replicas. All nodes of a cluster
 * obey the newest placement, almost at the same time. A placement is a target, and a hint for
 * clients: the log of each unit decides who really leads.
 *
 * @param generation grows with every placement
 * @param nodes all members, sorted by name
 * @param leaders by unit, the name of its leader; units that no node can lead are missing
 * @param replicas by partition, the names of nodes in addition to the leader that keep a replica:
 *     standbys, and the next leader while its replica warms up
 */
public record Placement(
    long generation,
    List<Member> nodes,
    Map<Integer, String> leaders,
    Map<Integer, Set<String>> replicas) {

  /**
   * A node and the address where clients and other nodes reach it.
   *
   * @param levelMax the highest level that the node's build serves
   */
  public record Member(
      String name, String incarnation, String address, boolean isDraining, int levelMax) {
    /** Refuses null. */
    public Member {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(incarnation, "incarnation");
      Objects.requireNonNull(address, "address");
    }
  }

  /** Gives no unit a leader. */
  public static final Placement NONE = new Placement(-1, List.of(), Map.of(), Map.of());

  /** Copies everything; the maps keep the order of the units. */
  public Placement {
    nodes = List.copyOf(nodes);
    leaders = Collections.unmodifiableMap(new TreeMap<>(leaders));
    TreeMap<Integer, Set<String>> sorted = new TreeMap<>();
    replicas.forEach(
        (unit, names) -> sorted.put(unit, Collections.unmodifiableSet(new TreeSet<>(names))));
    replicas = Collections.unmodifiableMap(sorted);
  }

  /** The member of that name. */
  public Optional<Member> node(String name) {
    return nodes.stream().filter(node -> node.name().equals(name)).findFirst();
  }

  /** The node that leads a unit. */
  public Optional<Member> leader(int unit) {
    return Optional.ofNullable(leaders.get(unit)).flatMap(this::node);
  }

  /** Whether the node of that name keeps a replica of the partition, or leads it. */
  public boolean has(String name, int partition) {
    return name.equals(leaders.get(partition))
        || replicas.getOrDefault(partition, Set.of()).contains(name);
  }
}
