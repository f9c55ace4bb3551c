package io.tunnel.server.node;

import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.replica.NodeReplicas;
import java.util.function.Supplier;

/**
 * The engine of a log with a record for each row. The log itself answers where partitions end.
 *
 * @param log makes questions to the log, for each caller of {@link #bounds} its own
 */
record RowEngine(NodeReplicas replicas, Supplier<BoundsQueries> log) implements PartitionEngine {

  @Override
  public BoundsQueries bounds(ClusterView view) {
    return log.get();
  }
}
