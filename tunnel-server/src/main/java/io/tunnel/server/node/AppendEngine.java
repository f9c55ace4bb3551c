package io.tunnel.server.node;

import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.append.AppendReplicas;

/**
 * The engine of a log with a record for each append. The leaders of partitions answer where
 * partitions end.
 *
 * @param looks looks at this node's replicas for other nodes
 * @param leaders asks the leaders
 */
record AppendEngine(
    AppendReplicas replicas, PartitionLooks looks, LeaderLooks leaders, RowLives lives)
    implements PartitionEngine {

  @Override
  public TableLogs tables(TableLogs logs) {
    return lives.tables(logs);
  }

  @Override
  public void expire(long nowNanos) {
    lives.sweeps().tick(nowNanos);
  }

  @Override
  public BoundsQueries bounds() {
    return new LookedBounds(leaders);
  }

  @Override
  public LogFigures figures(KnownBounds known) {
    return new LookedFigures(PartitionEngine.super.figures(known), replicas::isCaughtUp, leaders);
  }

  @Override
  public SessionSweeps sweeps() {
    return new SessionSweeps(replicas.shards());
  }
}
