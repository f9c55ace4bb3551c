package io.tunnel.server.node;

import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.replica.ReplicaConfig;
import io.tunnel.server.replica.Replicas;
import io.tunnel.server.replica.SimReplicas;
import io.tunnel.server.replica.shared.Markers;
import io.tunnel.server.replica.shared.SharedLog;
import java.io.IOException;

/**
 * Replicas of a log with a record for each row.
 *
 * @param bounds asks the log where partitions end
 */
public record SimRowEngine(
    SimReplicas.Storage storage, SharedLog log, BoundsQueries bounds, long retentionMicros)
    implements SimEngine {

  private static final ReplicaConfig REPLICA =
      new ReplicaConfig(
          new ReplicaConfig.Batches(4_096, 7, 4_096, 16L << 20, 4_096),
          new ReplicaConfig.Times(10_000, 50, 2_000, 2_000, SimClusterNode.READ_AGE_MS_MAX),
          10);

  @Override
  public LogForm form() {
    return LogForm.ROWS;
  }

  @Override
  public Opened open(Node node) throws IOException {
    SimReplicas copies =
        new SimReplicas(
            storage,
            REPLICA,
            new Replicas.Ports(
                log,
                new Markers(node.self().name(), node.self().incarnation()),
                node.placement()::leaderElsewhere,
                partition -> retentionMicros,
                partition -> Long.MAX_VALUE,
                node.catalog()::hasPartition),
            node.clock());
    return new Opened(copies, new RowEngine(copies.all(), () -> bounds));
  }
}
