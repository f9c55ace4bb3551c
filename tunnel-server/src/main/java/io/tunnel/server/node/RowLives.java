package io.tunnel.server.node;

import io.tunnel.server.partition.ExpirySweeps;
import io.tunnel.server.partition.TableLogs;

/**
 * The ends of rows with a time to live, where a node leads their partitions.
 *
 * @param sweeps delete rows that have expired
 * @param later calls back after a time
 */
record RowLives(ExpirySweeps sweeps, Later later) {

  /** Age of a node's catalog from which on no life ends, in milliseconds. */
  static final long CATALOG_AGE_MS_MAX = 3_000;

  /** The logs of tables, whose alterations are answered when all leaders have heard of them. */
  TableLogs tables(TableLogs logs) {
    return new HeardTables(logs, later, CATALOG_AGE_MS_MAX);
  }
}
