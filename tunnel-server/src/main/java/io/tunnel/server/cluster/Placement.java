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
 * Which node leads each unit, and which others follow it with a replica. Every node of a cluster
 * has the same, but for moments. It is a target, and a hint for clients: who really leads is
 * decided in each unit's log.
 *
 * @param generation grows with every decision
 * @param nodes all members, by name
 * @param leaders by unit, the name of the node that leads it; units of which nobody can are missing
 * @param replicas by partition, the names of the nodes beside the leader that keep a replica:
 *     standbys, and nodes that are to lead it as soon as their replica is warm
 */
public record Placement(
    long generation,
    List<Member> nodes,
    Map<Integer, String> leaders,
    Map<Integer, Set<String>> replicas) {

  /** A node, for those who want to reach it. */
  public record Member(String name, String incarnation, String address, boolean isDraining) {
    /** Refuses null. */
    public Member {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(incarnation, "incarnation");
      Objects.requireNonNull(address, "address");
    }
  }

  /** Nobody leads anything. */
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
