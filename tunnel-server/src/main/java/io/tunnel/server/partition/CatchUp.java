package io.tunnel.server.partition;

import io.tunnel.server.disk.DiskFullException;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.TableStore;
import java.io.IOException;

/**
 * Folds what a log has and the table of its shard has not, when both were opened. A group that
 * finds no disk space stays for the next try, and nothing is folded twice. By one thread at a time,
 * and as long as nothing is appended to the log.
 */
final class CatchUp implements FoldQueue.Rest {

  private final LocalLog log;
  private final TableStore table;
  private final Refold refold;

  /** By way of {@code refold}, which folds into {@code table}. */
  CatchUp(LocalLog log, TableStore table, Refold refold) {
    this.log = log;
    this.table = table;
    this.refold = refold;
  }

  /**
   * Folds up to the end of the log.
   *
   * @throws DiskFullException when the disk has no space; the next call resumes from there
   */
  @Override
  public void fold() throws IOException {
    refold.foldRefused();
    log.replay(table.foldedOffset(), refold);
  }
}
