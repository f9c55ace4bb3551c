package io.tunnel.server.cluster;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides leaders and followers of units: evenly over the nodes that do not drain, with the fewest
 * moves. A pure function: equal input gives equal output.
 *
 * <p>A living node that does not drain keeps its units, unless it has more than its share. A
 * partition moves only to a node with a warm replica: if there is none, the next leader gets a
 * replica first, and a later placement, which finds the replica warm, moves the lead. So a unit has
 * a leader for now, and an heir that will lead in the end; the heirs are spread evenly. When a
 * leader is gone, a node with a warm replica takes over, or any node if no replica is warm. Groups
 * of tunnels and the catalog have no replicas and move at once.
 *
 * <p>A draining node gets no units, not even where its replica is warm, because it is about to go.
 * If all nodes drain, nothing moves.
 */
final class PlacementCore {

  private static final int HEIR_IS_WARM = 0;
  private static final int HEIR_WARMS_UP = 1;
  private static final int ANY_HEIR = 2;

  private final Roster roster;
  private final int[] leaders;
  private final int[] heirs;

  /** By unit, whether no node leads it now. */
  private final boolean[] isOrphan;

  private PlacementCore(Roster roster) {
    this.roster = roster;
    leaders = roster.presentLeaders();
    heirs = leaders.clone();
    isOrphan = new boolean[leaders.length];
    for (int unit = 0; unit < leaders.length; unit++) {
      isOrphan[unit] = leaders[unit] == Roster.NOBODY;
    }
  }

  /**
   * Decides the next placement.
   *
   * @param former the last known placement, from which replicas that warm up are kept
   * @param units all units that need a leader
   * @param standbys wanted replicas of each partition in addition to the leader's
   * @throws IllegalArgumentException when {@code standbys} is negative, or two nodes have one name
   */
  static Placement place(
      long generation,
      Placement former,
      Collection<NodeInfo> nodes,
      Collection<Integer> units,
      int standbys) {
    if (standbys < 0) {
      throw new IllegalArgumentException(standbys + " standbys");
    }
    Roster roster = new Roster(former, nodes, units);
    PlacementCore core = new PlacementCore(roster);
    if (roster.nodeCount() > 0) {
      core.spread(true);
      core.spread(false);
    }
    StandbyCore standbyCore = new StandbyCore(roster, core.leaders, core.heirs, standbys);
    return core.placement(generation, standbyCore.replicas());
  }

  private Placement placement(long generation, Map<Integer, Set<Integer>> replicas) {
    Map<Integer, String> leaderNames = new HashMap<>();
    Map<Integer, Set<String>> replicaNames = new HashMap<>();
    for (int unit = 0; unit < leaders.length; unit++) {
      if (leaders[unit] != Roster.NOBODY) {
        leaderNames.put(roster.unit(unit), roster.name(leaders[unit]));
      }
    }
    replicas.forEach(
        (unit, holders) -> {
          Set<String> names = new HashSet<>();
          holders.forEach(node -> names.add(roster.name(node)));
          replicaNames.put(roster.unit(unit), names);
        });
    return new Placement(generation, roster.members(), leaderNames, replicaNames);
  }

  /** Gives all partitions, or all other units, a leader and an heir. */
  private void spread(boolean isPartitions) {
    int[] counts = new int[roster.nodeCount()];
    for (int unit = 0; unit < leaders.length; unit++) {
      if (roster.isPartition(unit) == isPartitions && stays(unit)) {
        counts[leaders[unit]]++;
      }
    }
    for (int unit = 0; unit < leaders.length; unit++) {
      if (roster.isPartition(unit) == isPartitions && leaders[unit] == Roster.NOBODY) {
        inherit(unit, successor(unit, counts));
        counts[heirs[unit]]++;
      }
    }
    if (roster.takers().length == 0) {
      return;
    }
    for (int unit = 0; unit < leaders.length; unit++) {
      if (roster.isPartition(unit) == isPartitions && roster.isDraining(leaders[unit])) {
        inherit(unit, successor(unit, counts));
        counts[heirs[unit]]++;
      }
    }
    balance(isPartitions, counts);
  }

  private boolean stays(int unit) {
    return leaders[unit] != Roster.NOBODY
        && (roster.takers().length == 0 || !roster.isDraining(leaders[unit]));
  }

  /** Makes the node the unit's heir, and its leader too if no client has to wait for that. */
  private void inherit(int unit, int node) {
    heirs[unit] = node;
    boolean isReady = !roster.isPartition(unit) || roster.isWarm(node, unit);
    boolean costsNothing = isOrphan[unit] && !hasWarmLeader(unit);
    if (isReady || costsNothing) {
      leaders[unit] = node;
    }
  }

  private boolean hasWarmLeader(int unit) {
    return leaders[unit] != Roster.NOBODY && roster.isWarm(leaders[unit], unit);
  }

  /** The least loaded node with a warm replica, or else with one that warms up, or else of all. */
  private int successor(int unit, int[] counts) {
    int[] takers = roster.takers();
    if (takers.length == 0) {
      takers = new int[roster.nodeCount()];
      Arrays.setAll(takers, node -> node);
    }
    int best = Roster.NOBODY;
    for (int node : takers) {
      if (best == Roster.NOBODY || isBetter(node, best, unit, counts)) {
        best = node;
      }
    }
    return best;
  }

  private boolean isBetter(int node, int best, int unit, int[] counts) {
    int rank = rank(node, unit);
    int bestRank = rank(best, unit);
    return rank != bestRank ? rank < bestRank : counts[node] < counts[best];
  }

  private int rank(int node, int unit) {
    if (!roster.isPartition(unit)) {
      return ANY_HEIR;
    }
    if (roster.isWarm(node, unit)) {
      return HEIR_IS_WARM;
    }
    boolean warmsUp = roster.wasCopy(node, unit) || roster.formerLeader(unit) == node;
    return warmsUp ? HEIR_WARMS_UP : ANY_HEIR;
  }

  /**
   * Moves units from nodes above their share to nodes below: first units that can move at once,
   * then units with a replica that warms up, then the rest.
   */
  private void balance(boolean isPartitions, int[] counts) {
    int[] shares = shares(counts);
    for (int rank = HEIR_IS_WARM; rank <= ANY_HEIR; rank++) {
      for (int node : roster.takers()) {
        for (int unit = 0; unit < heirs.length && counts[node] < shares[node]; unit++) {
          boolean isSurplus =
              roster.isPartition(unit) == isPartitions
                  && counts[heirs[unit]] > shares[heirs[unit]]
                  && rank(node, unit) <= rank;
          if (isSurplus) {
            counts[heirs[unit]]--;
            counts[node]++;
            inherit(unit, node);
          }
        }
      }
    }
  }

  /** Even shares; the nodes that have most get the larger ones. */
  private int[] shares(int[] counts) {
    int total = Arrays.stream(counts).sum();
    int[] takers = roster.takers();
    int[] shares = new int[counts.length];
    for (int node : takers) {
      shares[node] = total / takers.length;
    }
    Arrays.stream(takers)
        .boxed()
        .sorted((a, b) -> counts[b] - counts[a])
        .limit(total % takers.length)
        .forEach(node -> shares[node]++);
    return shares;
  }
}
