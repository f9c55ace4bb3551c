package io.tunnel.server.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The partitions in this node's catalog. Another node may know newer partitions, and a node that
 * has just started knows none.
 *
 * @param lastPartition the highest partition id that the catalog ever gave, as far as this node
 *     knows; 0 when it knows none
 * @param partitions the partitions that exist
 */
public record KnownUnits(int lastPartition, Set<Integer> partitions) {

  /** Before the catalog was read. */
  public static final KnownUnits NONE = new KnownUnits(0, Set.of());

  /**
   * Combines two values that were read at different times: tables may have come and gone between,
   * so either value may be newer.
   */
  public static KnownUnits read(int last, Set<Integer> partitions) {
    return new KnownUnits(
        partitions.stream().mapToInt(Integer::intValue).reduce(last, Math::max), partitions);
  }

  /** Copies the set, and refuses partitions beyond {@code lastPartition}. */
  public KnownUnits {
    partitions = Set.copyOf(partitions);
    for (int partition : partitions) {
      if (partition < 1 || partition > lastPartition) {
        throw new IllegalArgumentException(
            "partition " + partition + ", but the last is " + lastPartition);
      }
    }
  }

  /**
   * All units that need a leader: the known units, and partitions among {@code others} with higher
   * ids than this node's catalog knows. Ids are never reused, so a missing partition with a lower
   * id was dropped.
   */
  Set<Integer> with(Collection<Integer> others) {
    Set<Integer> units = new TreeSet<>(partitions);
    others.stream().filter(unit -> unit > lastPartition).forEach(units::add);
    for (int table = 0; table < Unit.TUNNEL_GROUPS; table++) {
      units.add(Unit.ofTunnels(table));
    }
    units.add(Unit.CATALOG);
    return units;
  }

  /**
   * Whether a placement has exactly these units, apart from partitions that this node cannot know
   * yet.
   */
  boolean areThoseOf(Placement placement) {
    Set<Integer> placed = new HashSet<>(placement.leaders().keySet());
    return placed.equals(with(placed));
  }
}
