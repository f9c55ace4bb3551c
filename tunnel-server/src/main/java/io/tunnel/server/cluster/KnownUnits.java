package io.tunnel.server.cluster;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The partitions that this node's catalog has. Another node may know of newer ones, and a node that
 * has just started knows of none.
 *
 * @param lastPartition the highest id that any partition ever had, as far as is known; 0 when
 *     nothing is
 * @param partitions those that are there
 */
public record KnownUnits(int lastPartition, Set<Integer> partitions) {

  /** Nothing was read yet. */
  public static final KnownUnits NONE = new KnownUnits(0, Set.of());

  /**
   * What was read one after the other, while tables may have come and gone: of {@code last} and
   * {@code partitions}, either may be newer.
   */
  public static KnownUnits read(int last, Set<Integer> partitions) {
    return new KnownUnits(
        partitions.stream().mapToInt(Integer::intValue).reduce(last, Math::max), partitions);
  }

  /** Copies the set, and refuses partitions beyond the last. */
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
   * All units that are to be led: what is known, and those of {@code others} that are too new to be
   * known. Ids are never used again, so one that is missing and not too new was dropped.
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

  /** Whether a placement has just these units, and perhaps some that are too new to be known. */
  boolean areThoseOf(Placement placement) {
    Set<Integer> placed = new HashSet<>(placement.leaders().keySet());
    return placed.equals(with(placed));
  }
}
