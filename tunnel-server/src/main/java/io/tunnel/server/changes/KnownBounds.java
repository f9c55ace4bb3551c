package io.tunnel.server.changes;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was last seen of the bounds of a shared log. Logs only grow, so it is never beyond their
 * ends. Safe for use by any thread.
 */
public final class KnownBounds {

  private final Map<Integer, Bounds> boundsByPartition = new ConcurrentHashMap<>();

  /** Nothing was seen yet. */
  public KnownBounds() {}

  /** Answers may overtake each other; the one with the higher end is the newer one. */
  public void saw(int partition, Bounds bounds) {
    boundsByPartition.merge(
        partition, bounds, (former, next) -> next.last() >= former.last() ? next : former);
  }

  /** Position up to which there is something; 0 when nothing was seen. */
  public long last(int partition) {
    Bounds bounds = boundsByPartition.get(partition);
    return bounds == null ? 0 : bounds.last();
  }

  /** Position from which on all changes are kept; 0 when nothing was seen. */
  public long first(int partition) {
    Bounds bounds = boundsByPartition.get(partition);
    return bounds == null ? 0 : bounds.first();
  }

  /** A partition does not exist any more. */
  public void forget(int partition) {
    boundsByPartition.remove(partition);
  }
}
