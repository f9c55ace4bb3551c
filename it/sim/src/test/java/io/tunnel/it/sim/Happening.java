package io.tunnel.it.sim;

import io.tunnel.it.sim.seeds.Floored;

/**
 * The events that a simulation claims to exercise, each with the least share of worlds in percent,
 * about two thirds of the measured share. A run with a rarer event has failed.
 */
public enum Happening implements Floored {
  WRITE_SYNCED(95),
  WRITE_UNSYNCED(95),
  WRITE_IN_DOUBT(51),
  WRITE_NOT_SENT(5),
  WRITE_HELD_UP(45),
  WRITE_REPEATED(60),
  WRITER_ENDED(60),
  PROGRAM_KILLED(35),
  ROW_REJECTED(95),
  INCREMENT_ANSWERED(66),
  ATOMIC_APPLIED(65),
  ATOMIC_REFUSED(60),
  INCREMENT_REJECTED(10),

  /** A program was told the number that the server chose for a row. */
  NUMBER_CHOSEN(15),

  /** A program deleted the row with the largest number of its partition. */
  LARGEST_NUMBER_DELETED(10),

  /** A write waited because its principal had used its quota up. */
  QUOTA_SLOWED(9),

  /** A write was refused because its principal had used its quota up. */
  QUOTA_REFUSED(5),
  ROW_READ(95),
  RANGE_READ(95),
  ROWS_READ(30),
  PAGE_FILTERED(30),
  PAGE_WITHOUT_MATCHES(5),
  FRAME_CUT_IN_TWO(95),
  CONNECTION_CUT(61),
  CONNECTION_CUT_MID_FRAME(14),
  CONNECTION_SILENT(35),
  CONNECTION_STALLED(61),
  CONNECTION_FULL(26),
  SERVER_KILLED(53),
  SERVER_LOST_POWER(48),
  SERVER_CRASHED_IN_A_WRITE(7.9),
  SERVER_CRASHED_IN_THE_CATALOG(2.2),
  CHANGES_LOST_WITH_POWER(13),
  CHECKPOINT_TAKEN_BACK(2.5),
  CLOCK_SET_BACK(39),
  CLOCK_SET_FORWARD(40),
  WORKER_STARTED(95),
  WORKER_CRASHED(58),
  WORKER_PAUSED(56),
  WORKER_LEFT(61),
  PROCESSOR_SLOW(34),
  PROCESSOR_BLOCKED(3.7),
  PROCESSOR_THREW(20),
  CHANGE_SKIPPED(1),
  CHECKPOINTED_BY_HAND(41),
  PROCESSED_BY_STALE_HOLDER(32),
  PROCESSED_TWICE(56),
  LEASE_ENDED(14),
  DEADLINE_PASSED(6.2),
  REVOKED(49),
  RELEASED(64),
  FENCED(3),
  CREDIT_USED_UP(58),
  CHECKPOINTED(95),
  TUNNEL_CREATED(95),
  TUNNEL_DELETED(17),
  SEGMENT_ROLLED(48),
  TERMINATED(59),
  SOUGHT(50),
  FENCE_PUSHED(44),
  END_PUSHED(59),
  CHANNEL_STOPPED(4.5),
  PAUSED(58),
  RESUMED(64),
  SESSION_ENDED_BY_OPERATOR(23),
  SNAPSHOT_GIVEN_UP(6.7),
  TUNNEL_OF_STREAM(57),
  TUNNEL_OF_BASE_DATA(13),
  TUNNEL_OF_BOTH(33),
  TUNNEL_WITH_END(29),
  PARTITION_WITH_PARENT(15),
  ROWS_COMPARED(22),
  END_COMPARED(6),
  HISTORY_TRIMMED(20),
  HISTORY_LOST(17),
  TABLE_ALTERED(21),
  TABLE_DROPPED(12),
  CHECKPOINTS_EXPORTED(12),
  CHECKPOINTS_IMPORTED(10),
  READING_RESUMED(18),
  POSITION_REPLACED(1.5),
  READING_LOST_HISTORY(0),
  READING_COMPARED(18),
  ROW_EXPIRED(10),

  /** At rest, the last expired row was deleted as soon as the pace of the server promises. */
  SWEPT_AT_PACE(5),
  WATCHER_STARTED(7),
  WATCHER_CRASHED(6),
  WATCHER_GIVEN_ROW(2),
  WATCHER_LOST_HISTORY(1.5),
  WATCHER_COMPARED(7),

  /** A row was deleted because the session had ended that wrote it. */
  BOUND_ROW_GONE(5),

  /** A client was refused because its row session had ended. */
  ROW_SESSION_ENDED(7),

  /** A row session was closed, and the program was told that its rows are gone. */
  ROW_SESSION_CLOSED(12),
  LOCK_TAKEN(10),
  LOCK_REFUSED(9),
  BACKUP_TAKEN(8),
  RESTORED(7),

  /** A backup was restored that was restored before: its servers know nothing of each other. */
  RESTORED_AGAIN(5),

  /** A restore took changes that clients had seen. */
  CHANGES_LOST_WITH_RESTORE(7),
  RIGHT_WITHDRAWN(14),
  RIGHT_DENIED(14),
  KEY_REVOKED(13),
  KEY_ROTATED(14),

  /** A client was let in with the secret before, while a rotation lasted. */
  CAME_WITH_FORMER(6),

  /** A client came with the secret before when the rotation was over. */
  REFUSED_WITH_FORMER(10),
  GIVEN_BACK(20),
  REFUSED_BY_RIGHTS(16),
  ENDED_BY_RIGHTS(16);

  private final double percentMin;

  Happening(double percentMin) {
    this.percentMin = percentMin;
  }

  @Override
  public double percentMin() {
    return percentMin;
  }
}
