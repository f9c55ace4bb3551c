package io.tunnel.it.sim.truth;

import java.util.HashMap;
import java.util.Map;

/**
 * The pace at which a server deletes expired rows. In any time each shard deletes at most its share
 * of the pace, and what the share allows at once; DELETEs that come before a write of the row do
 * not count. When nobody writes, the share decides how long rows are left that have expired.
 */
public final class SweepTruth {

  /** A DELETE is committed sooner after its row was looked up. */
  private static final double COMMIT_SECONDS_MAX = 0.5;

  /** A sweep allows one row and the rows of so much time at once. */
  private static final double TICK_SECONDS_MAX = 0.5;

  private final double perSecond;
  private final Map<Integer, Debt> debtByShard = new HashMap<>();

  /** Rows that were deleted and are not paid by the time since. */
  private static final class Debt {
    private double rows;
    private long nanos;
  }

  /** The pace of each shard. */
  public SweepTruth(int rowsPerSecondMax, int shards) {
    this.perSecond = (double) rowsPerSecondMax / shards;
  }

  /** A shard has deleted expired rows that nobody wrote again. */
  public void deleted(int shard, int rows, long nowNanos) {
    if (rows == 0) {
      return;
    }
    Debt debt = debtByShard.computeIfAbsent(shard, any -> new Debt());
    debt.rows = Math.max(0, debt.rows - perSecond * (nowNanos - debt.nanos) / 1e9) + rows;
    debt.nanos = nowNanos;
    double allowed = 2 + perSecond * (TICK_SECONDS_MAX + COMMIT_SECONDS_MAX);
    Invariant.SWEPT_AT_PACE.require(
        debt.rows <= allowed,
        "shard %d deletes %d expired rows and is %.1f rows ahead, more than %.1f, of %.1f a second",
        shard,
        rows,
        debt.rows,
        allowed,
        perSecond);
  }

  /**
   * How long a shard may take at rest until the last of its rows is deleted: each row waits for its
   * own time, and for the entries of the index before it.
   */
  public double secondsMax(long entries, double untilLastExpires) {
    return COMMIT_SECONDS_MAX + 2 / perSecond + untilLastExpires + entries / perSecond;
  }
}
