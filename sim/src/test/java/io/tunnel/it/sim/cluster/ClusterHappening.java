package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.Floored;

/**
 * What simulations of clusters exercise, and in which part of them at least, in percent: about two
 * thirds of what was measured.
 */
enum ClusterHappening implements Floored {
  WRITE_ACKNOWLEDGED(95),
  WRITE_REFUSED(95),
  WRITE_IN_DOUBT(64),
  ROW_REJECTED(65),
  RECORD_FENCED(36),
  ROW_REPAIRED(43),
  RECORD_COMPACTED(3.7),
  MARKER(95),
  DECIDED(95),
  LEADER_CHANGED(64),
  GROUP_MOVED(95),
  NODE_STARTED(95),
  NODE_KILLED(49),
  NODE_LOST_POWER(31),
  DIRECTORY_DELETED(34),
  NODE_PAUSED(57),
  NODE_CUT_FROM_LOG(56),
  NODE_CUT_FROM_CLIENTS(50),
  NODE_DRAINED(60),
  NODE_EVICTED(64),
  LOG_DOWN(32),
  CONNECTION_CUT(59),
  CONNECTION_STALLED(53),
  WORKER_STARTED(95),
  WORKER_CRASHED(52),
  WORKER_PAUSED(39),
  WORKER_LEFT(60),
  ASSIGNED(95),
  ATTACHED(95),
  CHECKPOINTED(61),
  PROCESSED_TWICE(55),
  SOUGHT(49),
  HISTORY_LOST(0.3),
  /** Said to be lost were only positions that are no changes. */
  NOTHING_LOST(0),
  RESUMED(0.3),
  REBALANCED(55),
  NOT_LEADER(95),
  ROW_READ(60),
  ROW_READ_STRICTLY(62),
  RANGE_READ(62),
  RANGE_READ_STRICTLY(52),
  CLOCK_SET(50),

  /** A leader that was replaced, and has not heard of it, showed a row as it was before. */
  STALE_ROW_READ(0),
  BASE_CHANNEL(37),
  ROWS_DELIVERED(23),
  BASE_COMPARED(6.9),
  ROWS_COMPARED(95);

  private final double percentMin;

  ClusterHappening(double percentMin) {
    this.percentMin = percentMin;
  }

  @Override
  public double percentMin() {
    return percentMin;
  }
}
