package io.tunnel.server.partition;

import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import java.io.IOException;

/**
 * Folds what a log has and the table of its shard has not, when both were opened. What finds no
 * room stays for the next try, and nothing is folded twice. By one thread at a time, and as long as
 * nothing is appended to the log.
 */
final class CatchUp implements FoldQueue.Rest {

  private final LocalLog log;
  private final ShardRows rows;
  private final Refold refold;

  /** Whether the last fold was refused, and is to be made again before all others. */
  private boolean isRefused;

  /** By way of {@code refold}, which folds into {@code rows}. */
  CatchUp(LocalLog log, ShardRows rows, Refold refold) {
    this.log = log;
    this.rows = rows;
    this.refold = refold;
  }

  /**
   * Folds up to the end of the log.
   *
   * @throws DiskFullException when there is no room; the next call goes on from there
   */
  @Override
  public void fold() throws IOException {
    if (isRefused) {
      rows.foldAgain();
      isRefused = false;
    }
    try {
      log.replay(rows.store().foldedOffset(), refold);
    } catch (DiskFullException e) {
      isRefused = true;
      throw e;
    }
  }
}
