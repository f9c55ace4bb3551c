package io.tunnel.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Nodes that do what placements say, join, leave, drain and warm up; every decision is checked. */
final class PlacementWorld {

  /** A node as it is. */
  private static final class Node {
    private final String name;
    private boolean isDraining;
    private final Set<Integer> leads = new TreeSet<>();
    private final Set<Integer> warm = new TreeSet<>();
    private final Set<Integer> cold = new TreeSet<>();

    Node(String name) {
      this.name = name;
    }

    NodeInfo introduce() {
      return new NodeInfo(name, name + "-1", name + ":1", isDraining, leads, warm, 1);
    }
  }

  private static final int NODES_MAX = 8;

  private final Random random;
  private final int standbys;
  private final Map<String, Node> nodes = new TreeMap<>();
  private final Set<Integer> units = new TreeSet<>();
  private Placement placement = Placement.NONE;
  private int lastNode;
  private int lastPartition;
  private int leadMoves;

  PlacementWorld(long seed) {
    random = new Random(seed);
    standbys = random.nextInt(4);
    for (int unit = -Unit.TUNNEL_GROUPS; unit <= Unit.CATALOG; unit++) {
      units.add(unit);
    }
    createTable();
    join();
    decide();
    settle();
  }

  void step() {
    switch (random.nextInt(9)) {
      case 0 -> {
        if (nodes.size() < NODES_MAX) {
          join();
        }
      }
      case 1 -> {
        if (nodes.size() > 1) {
          nodes.remove(any().name);
        }
      }
      case 2 -> any().isDraining = true;
      case 3 -> any().isDraining = false;
      case 4 -> createTable();
      case 5 -> units.removeIf(unit -> Unit.isPartition(unit) && random.nextInt(8) == 0);
      case 6 -> placement = random.nextInt(3) == 0 ? Placement.NONE : placement;
      case 7 -> {
        Node node = any();
        units.stream().filter(unit -> random.nextInt(9) == 0).forEach(node.leads::add);
        node.leads.stream().filter(Unit::isPartition).forEach(node.warm::add);
      }
      default -> nodes.values().forEach(node -> warmUp(node, 2));
    }
    decide();
    if (random.nextInt(3) == 0) {
      settle();
    }
  }

  /** A node joins one that is at rest: exactly its share moves. */
  void joinsAtRest() {
    nodes.values().forEach(node -> node.isDraining = false);
    settle();
    int share = (int) units.stream().filter(Unit::isPartition).count() / (nodes.size() + 1);
    int others = (Unit.TUNNEL_GROUPS + 1) / (nodes.size() + 1);
    leadMoves = 0;
    join();
    decide();
    settle();
    assertThat(leadMoves).isEqualTo(share + others);
  }

  private Node any() {
    return new ArrayList<>(nodes.values()).get(random.nextInt(nodes.size()));
  }

  private void join() {
    String name = "node-" + ++lastNode;
    nodes.put(name, new Node(name));
  }

  private void createTable() {
    for (int count = 1 + random.nextInt(20); count > 0; count--) {
      units.add(++lastPartition);
    }
  }

  /** Warms up until nothing changes, which must come soon. */
  private void settle() {
    for (int round = 0; round < 8; round++) {
      Placement former = placement;
      nodes.values().forEach(node -> warmUp(node, 1));
      decide();
      if (former.leaders().equals(placement.leaders())
          && former.replicas().equals(placement.replicas())) {
        atRest();
        return;
      }
    }
    throw new AssertionError("does not come to rest: " + placement);
  }

  private void warmUp(Node node, int oneOf) {
    List<Integer> done = node.cold.stream().filter(unit -> random.nextInt(oneOf) == 0).toList();
    node.warm.addAll(done);
    done.forEach(node.cold::remove);
  }

  private void decide() {
    List<NodeInfo> infos = new ArrayList<>(nodes.values().stream().map(Node::introduce).toList());
    Placement next =
        PlacementCore.place(placement.generation() + 1, placement, infos, units, standbys);
    Collections.shuffle(infos, random);
    List<Integer> shuffled = new ArrayList<>(units);
    Collections.shuffle(shuffled, random);
    assertThat(
            PlacementCore.place(placement.generation() + 1, placement, infos, shuffled, standbys))
        .isEqualTo(next);
    check(next);
    placement = next;
    nodes.values().forEach(this::obey);
  }

  private void obey(Node node) {
    Set<Integer> led = new HashSet<>(node.leads);
    node.leads.clear();
    for (int unit : units) {
      boolean leads = node.name.equals(placement.leaders().get(unit));
      if (leads) {
        node.leads.add(unit);
      }
      if (!Unit.isPartition(unit)) {
        continue;
      }
      if (leads) {
        node.warm.add(unit);
        node.cold.remove(unit);
      } else if (!placement.has(node.name, unit)) {
        node.warm.remove(unit);
        node.cold.remove(unit);
      } else if (!node.warm.contains(unit)) {
        node.cold.add(unit);
      }
    }
    node.warm.retainAll(units);
    node.cold.retainAll(units);
    led.retainAll(units);
    led.removeAll(node.leads);
    leadMoves += led.size();
  }

  private boolean isAnyoneThere() {
    return nodes.values().stream().anyMatch(node -> !node.isDraining);
  }

  private void check(Placement next) {
    assertThat(next.leaders().keySet()).isEqualTo(units);
    assertThat(next.leaders().values()).allMatch(nodes::containsKey);
    assertThat(next.replicas().keySet()).allMatch(unit -> Unit.isPartition(unit));
    next.replicas()
        .forEach(
            (unit, names) ->
                assertThat(names)
                    .doesNotContain(next.leaders().get(unit))
                    .allMatch(name -> !nodes.get(name).isDraining)
                    .hasSizeLessThanOrEqualTo(2 * standbys + 1));
    next.leaders().forEach((unit, name) -> checkLeader(unit, nodes.get(name)));
  }

  private void checkLeader(int unit, Node leader) {
    List<Node> present = nodes.values().stream().filter(node -> node.leads.contains(unit)).toList();
    List<Node> warm =
        nodes.values().stream()
            .filter(node -> node.warm.contains(unit) && !node.isDraining)
            .toList();
    if (present.contains(leader)) {
      boolean couldGo = Unit.isPartition(unit) ? !warm.isEmpty() : isAnyoneThere();
      assertThat(leader.isDraining && couldGo && !warm.contains(leader))
          .as("%s drains and leads %d", leader.name, unit)
          .isFalse();
    } else {
      assertThat(leader.isDraining && isAnyoneThere()).isFalse();
      boolean mustBeWarm = Unit.isPartition(unit) && (!present.isEmpty() || !warm.isEmpty());
      assertThat(!mustBeWarm || leader.warm.contains(unit))
          .as("%s leads %d and is not warm", leader.name, unit)
          .isTrue();
    }
  }

  private void atRest() {
    List<Node> takers = nodes.values().stream().filter(node -> !node.isDraining).toList();
    if (takers.isEmpty()) {
      return;
    }
    int wanted = Math.min(standbys, takers.size() - 1);
    Map<String, Integer> partitions = new HashMap<>();
    Map<String, Integer> others = new HashMap<>();
    Map<String, Integer> replicas = new HashMap<>();
    takers.forEach(
        node -> {
          partitions.put(node.name, 0);
          others.put(node.name, 0);
          replicas.put(node.name, 0);
        });
    for (int unit : units) {
      Map<String, Integer> counts = Unit.isPartition(unit) ? partitions : others;
      counts.merge(placement.leaders().get(unit), 1, Integer::sum);
      if (Unit.isPartition(unit)) {
        Set<String> names = placement.replicas().getOrDefault(unit, Set.of());
        assertThat(names).as("standbys of %d", unit).hasSize(wanted);
        names.forEach(name -> replicas.merge(name, 1, Integer::sum));
      }
    }
    assertEven(partitions, takers.size(), 1);
    assertEven(others, takers.size(), 1);
    assertEven(replicas, takers.size(), 1);
  }

  private static void assertEven(Map<String, Integer> counts, int nodes, int difference) {
    assertThat(counts).hasSize(nodes);
    assertThat(Collections.max(counts.values()) - Collections.min(counts.values()))
        .as("%s", counts)
        .isLessThanOrEqualTo(difference);
  }
}
