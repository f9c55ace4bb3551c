package io.tunnel.server.partition;

import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.Expiries;
import io.tunnel.server.table.MemoryTables;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.List;

/** The shard of a server in memory: it has no threads, and its owner takes its steps. */
public final class SteppedShard {

  private static final int GROUP_BYTES_MAX = 1 << 20;
  private static final ShardConfig CONFIG =
      new ShardConfig(GROUP_BYTES_MAX, GROUP_BYTES_MAX, 64L << 20, 0);

  private final Shard shard;
  private final Shards all;

  /**
   * A shard over an open log, and over rows that may lack the last changes of the log.
   *
   * @throws IOException when log or rows cannot be read
   */
  public SteppedShard(
      LocalLog log, MemoryTables rows, OwnCatalog catalog, Shard.Meter meter, Shard.Clock clock)
      throws IOException {
    Expiries lives = new Expiries(catalog::expiry);
    TableStore table = rows.open(log::sync, lives);
    Refold refold =
        new Refold(
            table,
            catalog::hasPartition,
            catalog::autoNumbers,
            catalog::sessionOwner,
            CONFIG.writers().of(1),
            SeenPlaces.NONE);
    table.retainPartitions(catalog::hasPartition);
    new CatchUp(log, table, refold).fold();
    shard =
        new Shard(
            0,
            CONFIG,
            new LocalShardLog(log),
            new StoredRows(table, refold.seen(), catalog::hasPartition, lives),
            meter,
            clock);
    all = new Shards(List.of(shard));
  }

  /** The shard, as the rest of a server knows it. */
  public Shards all() {
    return all;
  }

  /** Takes steps until nothing waits; returns whether there were any. */
  public boolean run() {
    boolean hasRun = false;
    while (!shard.isIdle()) {
      boolean unused = shard.step();
      hasRun = true;
    }
    return hasRun;
  }
}
