package io.tunnel.server.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Numbers the nodes and the units of one decision from 0, in the order of names and of units. */
final class Roster {

  /** No node. */
  static final int NOBODY = -1;

  private final List<NodeInfo> nodes;
  private final int[] units;
  private final int[] takers;
  private final Map<String, Integer> indexByName = new HashMap<>();
  private final boolean[][] isWarm;
  private final boolean[][] wasCopy;
  private final Placement former;

  /**
   * Numbers nodes and units.
   *
   * @throws IllegalArgumentException when two nodes have the same name
   */
  Roster(Placement former, Collection<NodeInfo> nodes, Collection<Integer> units) {
    this.former = former;
    this.nodes = nodes.stream().sorted(Comparator.comparing(NodeInfo::name)).toList();
    this.units = units.stream().mapToInt(Integer::intValue).sorted().distinct().toArray();
    for (NodeInfo node : this.nodes) {
      if (indexByName.put(node.name(), indexByName.size()) != null) {
        throw new IllegalArgumentException("two nodes are named " + node.name());
      }
    }
    takers =
        IntStream.range(0, this.nodes.size())
            .filter(node -> !this.nodes.get(node).isDraining())
            .toArray();
    isWarm = new boolean[this.nodes.size()][this.units.length];
    wasCopy = new boolean[this.nodes.size()][this.units.length];
    for (int node = 0; node < this.nodes.size(); node++) {
      NodeInfo info = this.nodes.get(node);
      for (int unit = 0; unit < this.units.length; unit++) {
        isWarm[node][unit] = info.warm().contains(this.units[unit]);
      }
    }
    for (int unit = 0; unit < this.units.length; unit++) {
      for (String name : former.replicas().getOrDefault(this.units[unit], Set.of())) {
        Integer node = indexByName.get(name);
        if (node != null) {
          wasCopy[node][unit] = true;
        }
      }
    }
  }

  int nodeCount() {
    return nodes.size();
  }

  /** The unit with this number. */
  int unit(int index) {
    return units[index];
  }

  boolean isPartition(int index) {
    return Unit.isPartition(units[index]);
  }

  String name(int node) {
    return nodes.get(node).name();
  }

  boolean isDraining(int node) {
    return nodes.get(node).isDraining();
  }

  /** The nodes that can take units: all that do not drain. */
  int[] takers() {
    return takers;
  }

  /** Whether the node's replica of a partition is nearly up to date. */
  boolean isWarm(int node, int unit) {
    return isWarm[node][unit];
  }

  /** Whether the former placement gave the node a replica. */
  boolean wasCopy(int node, int unit) {
    return wasCopy[node][unit];
  }

  /** The node that led the unit by the former placement; {@link #NOBODY} if it is no member now. */
  int formerLeader(int unit) {
    return indexByName.getOrDefault(former.leaders().getOrDefault(units[unit], ""), NOBODY);
  }

  /**
   * By unit, the node that says it leads the unit. Of several such nodes: the leader of the former
   * placement, or else the first that does not drain, or else the first.
   */
  int[] presentLeaders() {
    int[] leaders = new int[units.length];
    Arrays.fill(leaders, NOBODY);
    List<Integer> order = new ArrayList<>(IntStream.range(0, nodes.size()).boxed().toList());
    order.sort(Comparator.comparing(this::isDraining));
    for (int unit = 0; unit < units.length; unit++) {
      int wanted = formerLeader(unit);
      for (int node : order) {
        boolean claims = nodes.get(node).leads().contains(units[unit]);
        if (claims && (leaders[unit] == NOBODY || node == wanted)) {
          leaders[unit] = node;
        }
      }
    }
    return leaders;
  }

  List<Placement.Member> members() {
    return nodes.stream()
        .map(
            info ->
                new Placement.Member(
                    info.name(),
                    info.incarnation(),
                    info.address(),
                    info.isDraining(),
                    info.levelMax()))
        .toList();
  }
}
