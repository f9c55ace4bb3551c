package io.tunnel.server.node;

import io.tunnel.server.changes.BoundsQueries;
import io.tunnel.server.changes.CatchUp;
import io.tunnel.server.changes.Freshness;
import io.tunnel.server.changes.KnownBounds;
import io.tunnel.server.changes.LogFigures;
import io.tunnel.server.changes.PartitionLooks;
import io.tunnel.server.partition.SessionSweeps;
import io.tunnel.server.partition.TableLogs;
import io.tunnel.server.replica.NodeReplicas;

/** The engine of a node's partitions, as the rooms of the node use the engine. */
interface PartitionEngine {

  /** This node's replicas of partitions. */
  NodeReplicas replicas();

  /**
   * Answers where logs begin and end. Each caller keeps the answer; an engine may return one object
   * to all callers.
   */
  BoundsQueries bounds();

  /** Looks at this node's replicas for other nodes. */
  PartitionLooks looks();

  /** Asks the leaders of partitions. */
  LeaderLooks leaders();

  /** The logs of tables, which tell when the leaders have heard of an alteration. */
  TableLogs tables(TableLogs logs);

  /** Deletes rows that have expired, where this node leads; a few times a second, by one thread. */
  void expire(long nowNanos);

  /** Deletes and counts the rows of this node that are bound to sessions; one object. */
  SessionSweeps sweeps();

  /** What this node knows of logs without a question to the log. */
  default LogFigures figures(KnownBounds known) {
    return new LogFigures.OfSharedLog(known, replicas(), replicas()::isCaughtUp);
  }

  /** Waits until this node's replica of a partition has every acknowledged change. */
  default Freshness freshness(BoundsQueries bounds) {
    return new CatchUp(bounds, replicas());
  }
}
