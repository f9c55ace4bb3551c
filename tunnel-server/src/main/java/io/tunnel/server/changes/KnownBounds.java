package io.tunnel.server.changes;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The last known bounds of a shared log's partitions, which all groups of tunnels update and read.
 * Logs only grow, so a known end is never beyond the real one. Safe for use by any thread.
 */
public final class KnownBounds {

  private final Map<Integer, Bounds> boundsByPartition = new ConcurrentHashMap<>();

  /** Knows no bounds yet. */
  public KnownBounds() {}

  /**
   * Notes an answer of the log. Answers may overtake each other; the one with the higher end is
   * newer.
   */
  public void saw(int partition, Bounds bounds) {
    var unused =
        boundsByPartition.merge(
            partition, bounds, (former, seen) -> former.last() > seen.last() ? former : seen);
  }

  /** Last known end of a partition; 0 when unknown. */
  public long last(int partition) {
    Bounds known = boundsByPartition.get(partition);
    return known == null ? 0 : known.last();
  }

  /** Last known position from which on all changes are kept; 0 when unknown. */
  public long first(int partition) {
    Bounds known = boundsByPartition.get(partition);
    return known == null ? 0 : known.first();
  }

  /** Drops the bounds of a dropped partition. */
  public void forget(int partition) {
    boundsByPartition.remove(partition);
  }
}
