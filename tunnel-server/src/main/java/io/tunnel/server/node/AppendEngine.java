package io.tunnel.server.node;

import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.cluster.ClusterView;
import io.tunnel.server.replica.append.AppendReplicas;
import io.tunnel.server.replica.append.LaneSessions;
import java.util.Optional;

/**
 * The engine of a log with a record for each append. The leaders of partitions answer where
 * partitions end.
 *
 * @param leaders asks the leaders
 */
record AppendEngine(AppendReplicas replicas, PartitionLooks own, LeaderLooks leaders)
    implements PartitionEngine {

  @Override
  public BoundsQueries bounds(ClusterView view) {
    return new LookedBounds(leaders);
  }

  @Override
  public Optional<PartitionLooks> looks() {
    return Optional.of(own);
  }

  @Override
  public Optional<BoundRows> bound() {
    return Optional.of(new BoundRows(LaneSessions.of(replicas), leaders.peers()));
  }
}
