package io.tunnel.server.node;

import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.session.RowSessions;
import io.tunnel.wire.LookAnswer.BoundRows;
import io.tunnel.wire.LookAnswer.Count;
import io.tunnel.wire.LookAnswer.Part;
import io.tunnel.wire.LookRequest.Bound;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Counts rows of sessions in all partitions of a cluster: asks each node about its led partitions.
 * A count holds only if all nodes answer by one placement, which gives every partition a leader.
 */
record BoundEverywhere(LeaderLooks nodes, Catalog catalog, Executor control)
    implements RowSessions.Rows {

  /** Each node deletes the rows of the partitions that it leads. */
  @Override
  public void unbind() {}

  @Override
  public CompletableFuture<Map<Long, Long>> left(Set<Long> sessions) {
    Placement now = nodes.placement().get();
    if (!now.leaders().keySet().containsAll(catalog.partitionIds())) {
      return CompletableFuture.completedFuture(Map.of());
    }
    Bound question = new Bound(List.copyOf(sessions));
    CompletableFuture<List<Part>> all = CompletableFuture.completedFuture(List.of());
    for (Placement.Member node : now.nodes()) {
      all = all.thenCombine(nodes.askNode(node, question), BoundEverywhere::joined);
    }
    return all.handle((parts, failure) -> failure == null ? parts : Collections.<Part>emptyList())
        .thenApplyAsync(parts -> left(question.sessions(), now, parts), control);
  }

  private static List<Part> joined(List<Part> some, List<Part> others) {
    List<Part> joined = new ArrayList<>(some);
    joined.addAll(others);
    return joined;
  }

  /** By session, the rows of all nodes; without sessions that cannot be counted. */
  private Map<Long, Long> left(List<Long> sessions, Placement asked, List<Part> parts) {
    Map<Long, Long> left = new TreeMap<>();
    if (parts.size() != asked.nodes().size()) {
      return left;
    }
    for (int i = 0; i < sessions.size(); i++) {
      int index = i;
      Optional<Long> rows = rows(sessions.get(i), index, asked.generation(), parts);
      rows.ifPresent(sum -> left.put(sessions.get(index), sum));
    }
    return left;
  }

  private Optional<Long> rows(long session, int index, long generation, List<Part> parts) {
    boolean hasEnded = catalog.rowSessions().hasEnded(session);
    long sum = 0;
    for (Part part : parts) {
      if (!(part instanceof BoundRows bound)
          || !bound.isComplete()
          || bound.generation() != generation) {
        return Optional.empty();
      }
      Count count = bound.counts().get(index);
      if (hasEnded && !count.hasEnded()) {
        // The node has not read of the end, and may bind further rows.
        return Optional.empty();
      }
      sum += count.rows();
    }
    return Optional.of(sum);
  }
}
