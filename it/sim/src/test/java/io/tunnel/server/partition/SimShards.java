package io.tunnel.server.partition;

import io.tunnel.it.sim.truth.RowFold;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.partition.read.SimRows;
import io.tunnel.server.table.Expiries;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/** The shards of a simulated server: real ones, whose thread is the simulation's. */
public final class SimShards {

  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8L << 20);

  private final List<Shard> shards = new ArrayList<>();
  private final List<SimRows> rows;
  private final Shards all;

  /**
   * Shards over {@code logs} and their stored rows.
   *
   * @param isLive whether a partition exists at the moment of the question
   * @param lives when the rows of a partition expire
   * @param known what else the catalog knows of rows
   */
  public SimShards(
      List<LocalLog> logs,
      List<SimRows> rows,
      IntPredicate isLive,
      Expiries lives,
      SimRows.Known known,
      Shard.Clock clock)
      throws IOException {
    this.rows = List.copyOf(rows);
    for (LocalLog log : logs) {
      SimRows own = rows.get(shards.size());
      own.open(log, isLive, lives, known);
      shards.add(new Shard(shards.size(), CONFIG, new LocalShardLog(log), own, NO_METER, clock));
    }
    all = new Shards(shards);
  }

  /** Counts nothing. */
  public static final Shard.Meter NO_METER =
      new Shard.Meter() {
        @Override
        public void committed(int shard, long rows, long bytes, long commitNanos) {}

        @Override
        public void folded(int shard, long foldNanos) {}

        @Override
        public void rejected(int shard, long rows) {}

        @Override
        public void trimmed(int shard, long changes, long segments, long bytes) {}
      };

  /** As the rest of the server sees them. */
  public Shards all() {
    return all;
  }

  /** Whether the shard has nothing to do. */
  public boolean isIdle(int shard) {
    return shards.get(shard).isIdle();
  }

  /** Lets the shard do one thing. */
  public void step(int shard) {
    shards.get(shard).step();
  }

  /** Whether the shard's disk has failed. */
  public boolean hasFailed(int shard) {
    return shards.get(shard).hasFailed();
  }

  /** The shard of a partition. */
  public int shardOf(int partition) {
    return all.indexOf(partition);
  }

  /** Entries of the index of rows that will expire. */
  public long expiryEntries(int shard) {
    return rows.get(shard).expiryEntries();
  }

  /** The rows of a partition. */
  public RowFold rows(int partition) {
    return rows.get(all.indexOf(partition)).of(partition);
  }
}
