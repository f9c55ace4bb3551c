package io.tunnel.it.sim.cluster;

import io.tunnel.it.sim.seeds.Floored;

/**
 * What simulations of clusters exercise, and in which part of them at least, in percent: about two
 * thirds of what was measured.
 */
enum ClusterHappening implements Floored {
  WRITE_ACKNOWLEDGED(95),
  WRITE_REFUSED(95),
  ROW_REJECTED(95),
  INCREMENT_ANSWERED(66),
  INCREMENT_REJECTED(6),
  RECORD_FENCED(36),
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

  /** Requests of a node arrived at the log, and no answer came back. */
  NODE_DEAF(24),

  /** Messages between two nodes were lost in one direction. */
  NODES_CUT_ONE_WAY(17),

  /** Nodes heard each other late, and out of order. */
  NODES_SLOW(22),
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

  /** A channel stopped because changes were trimmed. */
  HISTORY_LOST(3),
  RESUMED(3),
  REBALANCED(55),
  NOT_LEADER(95),
  ROW_READ(66),
  ROW_READ_STRICTLY(62),
  RANGE_READ(62),
  RANGE_READ_STRICTLY(58),
  CLOCK_SET(50),
  READER_STARTED(20),
  READER_CRASHED(16),
  READER_WENT_BACK(7.5),

  /** A reader was told that a node does not deliver to it any more, and was delivered to again. */
  READER_SENT_AWAY(15),

  /** A reader went on at another node, or at one that had been started again. */
  READER_FOLLOWED(17),

  /** A reader was given changes of another incarnation than the ones before. */
  READER_TOLD_INCARNATION(14),

  /** A reader whose user has little patience was not delivered to for too long. */
  READER_GAVE_UP(0.3),
  READER_LOST_HISTORY(7),

  /** A reader was refused because of what was taken from it. */
  READER_REFUSED_BY_RIGHTS(3),
  READER_COMPARED(20),
  WATCHER_STARTED(12),
  WATCHER_CRASHED(8),
  WATCHER_GIVEN_ROW(1.8),

  /** A watcher was refused because of lost history, and began with the rows. */
  WATCHER_LOST_HISTORY(0),
  WATCHER_COMPARED(12),
  LOG_LED_BY_ANOTHER(16),

  /** Another broker came to lead a log, and lacked its end. */
  LOG_CUT(5),

  /** A leader that was replaced, and has not heard of it, showed a row as it was before. */
  STALE_ROW_READ(0),
  BASE_CHANNEL(37),
  ROWS_DELIVERED(23),
  BASE_COMPARED(6.9),

  /** Rows of a base channel must be those of the position at which the stream channel begins. */
  BASE_OF_ONE_MOMENT(15),
  ROWS_COMPARED(95),
  /** A node answered a look of another node. */
  LOOKED(60),

  /** All disks of all nodes were lost, and the log had all. */
  ALL_DISKS_LOST(20),

  /** A row of an atomic batch counts. */
  ATOMIC_ROW_LANDED(20),

  /** An old change was read from the shared log. */
  OLD_PAGE_READ(50),

  /** What replicas knew of writers was compared. */
  WRITERS_COMPARED(30),
  /** The record of a snapshot counts. */
  SNAPSHOT_NAMED(55),

  /** A record that trims a log counts. */
  LOG_TRIMMED(45),

  /** Records that a trim allows to delete were deleted. */
  RECORDS_DELETED(45),

  /** A replica began with a snapshot. */
  BEGUN_WITH_SNAPSHOT(45),

  /** The log of blocks lost a block, or flipped a bit of it. */
  BLOCK_DAMAGED(20),
  RIGHT_WITHDRAWN(12),
  RIGHT_DENIED(12),
  KEY_REVOKED(12),
  KEY_ROTATED(4.5),

  /** A client was let in with the secret before, while a rotation lasted. */
  CAME_WITH_FORMER(1),

  /** A client came with the secret before when the rotation was over. */
  REFUSED_WITH_FORMER(3),
  /** A node was started with a build of another level. */
  BUILD_REPLACED(16),

  /** The level of the cluster was raised. */
  LEVEL_RAISED(40),

  /** A raise was refused, because a member did not serve the level. */
  RAISE_REFUSED(6),

  /** A running node below the level stopped. */
  NODE_BELOW_STOPPED(0.3),

  /** A node below the level was not started. */
  NODE_BELOW_REFUSED(3),

  /** The log took the first record of a numbered batch. */
  BATCH_LANDED(36),

  /** A numbered batch was answered. */
  BATCH_ANSWERED(36),

  /** A row of a program was sent again. */
  ROW_REPEATED(66),

  /** Only the first rows of a numbered batch count. */
  BATCH_APPLIED_IN_PART(0),

  /** A program was told that a row is in doubt. */
  ROW_IN_DOUBT(58),

  /** A program was told that a row was not sent. */
  ROW_NOT_SENT(48),
  PROGRAM_KILLED(33),

  /** A writer that numbers was refused, because it was forgotten or older than what is known. */
  WRITER_ENDED(0),

  /** The cluster chose the number of an applied row. */
  NUMBER_CHOSEN(8),

  /** The row with the largest number was deleted. */
  LARGEST_NUMBER_DELETED(3),

  /** The log has the DELETE of a row that had expired. */
  ROW_EXPIRED(7),

  /** The log has the DELETE of a row whose session had ended. */
  ROW_UNBOUND(7),

  /** A program learned that its row session has ended. */
  ROW_SESSION_ENDED(5),
  ROW_SESSION_CLOSED(7),
  LOCK_TAKEN(8),
  LOCK_REFUSED(4),

  /** A quota held a write back for a while. */
  QUOTA_SLOWED(8),

  /** A write was refused because of a quota. */
  QUOTA_REFUSED(1.5),
  GIVEN_BACK(17),
  REFUSED_BY_RIGHTS(12),
  ENDED_BY_RIGHTS(15);

  private final double percentMin;

  ClusterHappening(double percentMin) {
    this.percentMin = percentMin;
  }

  @Override
  public double percentMin() {
    return percentMin;
  }
}
