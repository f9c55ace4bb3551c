package io.tunnel.server.session;

import io.tunnel.server.log.EdgeQueries;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What was last seen of the edges of a shared log. Logs only grow, so it is never beyond their
 * ends. Safe for use by any thread.
 */
public final class KnownEdges {

  private final Map<Integer, EdgeQueries.Edge> edgeByPartition = new ConcurrentHashMap<>();

  /** Nothing was seen yet. */
  public KnownEdges() {}

  /** Answers may overtake each other; the one with the higher end is the newer one. */
  void saw(int partition, EdgeQueries.Edge edge) {
    edgeByPartition.merge(
        partition, edge, (former, next) -> next.last() >= former.last() ? next : former);
  }

  /** Position up to which there is something; 0 when nothing was seen. */
  public long last(int partition) {
    EdgeQueries.Edge edge = edgeByPartition.get(partition);
    return edge == null ? 0 : edge.last();
  }

  /** Position from which on all changes are kept; 0 when nothing was seen. */
  public long first(int partition) {
    EdgeQueries.Edge edge = edgeByPartition.get(partition);
    return edge == null ? 0 : edge.first();
  }

  /** A partition does not exist any more. */
  public void forget(int partition) {
    edgeByPartition.remove(partition);
  }
}
