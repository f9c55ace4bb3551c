package io.tunnel.server.node;

import io.tunnel.server.catalog.RowSessionRecords;
import io.tunnel.server.cluster.Placement;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.wire.LookAnswer.BoundRows;
import io.tunnel.wire.LookAnswer.Count;
import io.tunnel.wire.LookRequest.Bound;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * The rows of sessions in the partitions that a node leads.
 *
 * @param self name of the node
 * @param isServing whether the node leads a partition, and reads and writes are served
 */
record NodeBound(
    String self,
    SessionSweeps sweeps,
    RowSessionRecords records,
    Supplier<Placement> placement,
    IntPredicate isServing) {

  /**
   * Counts the rows of the partitions that the placement gives to this node. A partition that is
   * not served before or after the count may have rows that this node does not know.
   */
  CompletableFuture<BoundRows> bound(Bound question) {
    Placement now = placement.get();
    Set<Integer> own = own(now);
    // Before the rows are counted: no row is bound to a session whose end this node has read.
    List<Boolean> ends = question.sessions().stream().map(records::hasEnded).toList();
    boolean isServed = own.stream().allMatch(isServing::test);
    return sweeps
        .left(question.sessions(), own::contains)
        .thenApply(
            rows ->
                new BoundRows(
                    now.generation(),
                    isServed
                        && own.stream().allMatch(isServing::test)
                        && placement.get().generation() == now.generation(),
                    counts(rows, ends)));
  }

  private Set<Integer> own(Placement now) {
    Set<Integer> own = new TreeSet<>();
    now.leaders()
        .forEach(
            (unit, name) -> {
              if (Unit.isPartition(unit) && name.equals(self)) {
                own.add(unit);
              }
            });
    return own;
  }

  private static List<Count> counts(List<Long> rows, List<Boolean> ends) {
    List<Count> counts = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      counts.add(new Count(rows.get(i), ends.get(i)));
    }
    return counts;
  }
}
