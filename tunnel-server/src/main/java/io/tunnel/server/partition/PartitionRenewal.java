package io.tunnel.server.partition;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.PartitionLoad;
import io.tunnel.server.table.PartitionScan;
import java.io.IOException;

/**
 * Empties a partition of a shard whose log nodes share, and lets its replica be rebuilt. No thread
 * appends to, folds or reads the partition meanwhile. Also scans a partition, for the replicas that
 * are rebuilt from a snapshot.
 *
 * <p>The order of the durable steps makes each crash harmless: the table has all of the local log,
 * so that no start folds former changes of the partition again; the table has no state and no entry
 * of the partition; the local log has forgotten the former changes; the table has the new entries
 * and their state; the local log gets changes after this state. A start that finds no state
 * rebuilds.
 *
 * <p>For the shard's own thread.
 */
public final class PartitionRenewal {

  private final LocalLog log;
  private final ShardRows rows;
  private final FoldQueue folds;
  private final FoldState folding;
  private final SeenChanges seen;
  private final ShardExpiry expiry;

  PartitionRenewal(
      LocalLog log,
      ShardRows rows,
      FoldQueue folds,
      FoldState folding,
      SeenChanges seen,
      ShardExpiry expiry) {
    this.log = log;
    this.rows = rows;
    this.folds = folds;
    this.folding = folding;
    this.seen = seen;
    this.expiry = expiry;
  }

  /**
   * Removes all that the shard has of a partition, durably.
   *
   * @param next position of the next change that the local log gets
   * @return takes the new entries, by any one thread; to be closed
   * @throws io.tunnel.server.disk.DiskFullException when the disk has no space; may be repeated
   */
  public PartitionLoad empty(int partition, long next) throws IOException {
    folding.requireAllFolded();
    expiry.drop(partition);
    seen.drop(partition);
    folding.foldUpTo(log.end(), seen.takeRaised());
    PartitionLoad[] load = new PartitionLoad[1];
    folds.change(() -> load[0] = rows.store().load(partition));
    try {
      log.forget(partition, next);
    } catch (IOException | RuntimeException e) {
      load[0].close();
      throw e;
    }
    return load[0];
  }

  /**
   * Scans a partition, complete up to now: with answers to writers of batches without an accepted
   * row, which the table otherwise gets with a later fold. Call this method when all changes of the
   * partition are folded; the method folds the waiting changes of other partitions.
   *
   * @return to be closed
   * @throws io.tunnel.server.disk.DiskFullException when the disk has no space; may be repeated
   */
  public PartitionScan scan(int partition) throws IOException {
    folding.requireAllFolded();
    folding.foldUpTo(log.end(), seen.takeRaised());
    return rows.store().scanEntries(partition);
  }

  /** The table has complete entries of a partition again, and this state of its replica. */
  public void filled(int partition, PartitionEntries entries, Bytes state) {
    seen.restore(partition, entries, state);
  }
}
