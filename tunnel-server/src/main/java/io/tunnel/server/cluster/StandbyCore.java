package io.tunnel.server.cluster;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Decides which nodes keep replicas in addition to the leaders: each partition's heir until it
 * leads, and the wanted number of standbys, evenly spread and preferably on nodes that already have
 * replicas. While a standby warms up, a surplus warm replica stays in its place.
 */
final class StandbyCore {

  private final Roster roster;
  private final int[] leaders;
  private final int[] heirs;
  private final int standbys;
  private final int[] counts;

  /** By unit, its standbys once its heir leads. */
  private final Map<Integer, Set<Integer>> wanted = new HashMap<>();

  StandbyCore(Roster roster, int[] leaders, int[] heirs, int standbys) {
    this.roster = roster;
    this.leaders = leaders;
    this.heirs = heirs;
    this.standbys = standbys;
    counts = new int[roster.nodeCount()];
  }

  /** By unit, the nodes that keep a replica without leading. */
  Map<Integer, Set<Integer>> replicas() {
    for (int unit = 0; unit < leaders.length; unit++) {
      if (roster.isPartition(unit) && leaders[unit] != Roster.NOBODY) {
        wanted.put(unit, keep(unit));
      }
    }
    for (int unit : wanted.keySet().stream().sorted().toList()) {
      fill(unit);
    }
    even();
    Map<Integer, Set<Integer>> replicas = new HashMap<>();
    wanted.forEach((unit, nodes) -> replicas.put(unit, withThoseToStay(unit, nodes)));
    replicas.values().removeIf(Set::isEmpty);
    return replicas;
  }

  private boolean hasReplica(int node, int unit) {
    return roster.isWarm(node, unit) || roster.wasCopy(node, unit) || leaders[unit] == node;
  }

  /** Keeps replicas that warm up first: an earlier placement chose them to replace warm ones. */
  private Set<Integer> keep(int unit) {
    Set<Integer> kept = new TreeSet<>();
    for (boolean isWarm : new boolean[] {false, true}) {
      List<Integer> holders = new ArrayList<>();
      for (int node : roster.takers()) {
        if (node != heirs[unit] && roster.isWarm(node, unit) == isWarm && hasReplica(node, unit)) {
          holders.add(node);
        }
      }
      holders.sort(Comparator.comparing(node -> counts[node]));
      for (int node : holders) {
        if (kept.size() < standbys) {
          kept.add(node);
          counts[node]++;
        }
      }
    }
    return kept;
  }

  private void fill(int unit) {
    Set<Integer> nodes = wanted.get(unit);
    while (nodes.size() < standbys) {
      int best = Roster.NOBODY;
      for (int node : roster.takers()) {
        boolean isFree = node != heirs[unit] && !nodes.contains(node);
        if (isFree && (best == Roster.NOBODY || counts[node] < counts[best])) {
          best = node;
        }
      }
      if (best == Roster.NOBODY) {
        return;
      }
      nodes.add(best);
      counts[best]++;
    }
  }

  /**
   * Moves replicas from the nodes with most to the nodes with fewest, while the spread gets more
   * even.
   */
  private void even() {
    boolean hasMoved = true;
    while (hasMoved) {
      hasMoved = false;
      List<Integer> byCount = new ArrayList<>();
      for (int node : roster.takers()) {
        byCount.add(node);
      }
      byCount.sort(Comparator.comparing(node -> counts[node]));
      for (int from = byCount.size() - 1; from > 0 && !hasMoved; from--) {
        for (int to = 0; to < from && !hasMoved; to++) {
          hasMoved = moveOne(byCount.get(from), byCount.get(to));
        }
      }
    }
  }

  private boolean moveOne(int from, int to) {
    if (counts[from] - counts[to] < 2) {
      return false;
    }
    int best = -1;
    for (Map.Entry<Integer, Set<Integer>> entry : wanted.entrySet()) {
      int unit = entry.getKey();
      Set<Integer> nodes = entry.getValue();
      if (nodes.contains(from) && !nodes.contains(to) && heirs[unit] != to) {
        boolean isBetter =
            best < 0
                || cost(unit, from, to) < cost(best, from, to)
                || (cost(unit, from, to) == cost(best, from, to) && unit < best);
        best = isBetter ? unit : best;
      }
    }
    if (best < 0) {
      return false;
    }
    wanted.get(best).remove(from);
    wanted.get(best).add(to);
    counts[from]--;
    counts[to]++;
    return true;
  }

  /**
   * The reading that a move of a replica costs: none if the new node has a replica already, and
   * less if the old replica is cold.
   */
  private int cost(int unit, int from, int to) {
    return (hasReplica(to, unit) ? 0 : 2) + (roster.isWarm(from, unit) ? 1 : 0);
  }

  private Set<Integer> withThoseToStay(int unit, Set<Integer> nodes) {
    Set<Integer> all = new TreeSet<>(nodes);
    if (roster.takers().length > 0) {
      all.add(heirs[unit]);
    }
    long warm = all.stream().filter(node -> isWarmCopy(node, unit)).count();
    for (int node : roster.takers()) {
      if (warm < standbys && !all.contains(node) && isWarmCopy(node, unit)) {
        all.add(node);
        warm++;
      }
    }
    all.remove(leaders[unit]);
    return all;
  }

  private boolean isWarmCopy(int node, int unit) {
    return node != leaders[unit] && roster.isWarm(node, unit);
  }
}
