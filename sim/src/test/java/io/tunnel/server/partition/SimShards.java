package io.tunnel.server.partition;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.it.sim.RowFold;
import io.tunnel.model.Bytes;
import io.tunnel.model.ColumnValue;
import io.tunnel.model.TableOptions;
import io.tunnel.server.log.LocalLog;
import io.tunnel.server.table.SimTableRows;
import io.tunnel.server.table.TableRows;
import io.tunnel.server.table.TableStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The shards of a simulated server: real ones, whose thread is the simulation's. */
public final class SimShards {

  private static final ShardConfig CONFIG = new ShardConfig(4_096, 4_096, 8L << 20);

  private final List<Shard> shards = new ArrayList<>();
  private final Map<Integer, RowFold> rowsByPartition = new HashMap<>();
  private final Shards all;

  /** Shards over those logs, folded from them. */
  public SimShards(List<LocalLog> logs, Shard.Clock clock) throws IOException {
    for (LocalLog log : logs) {
      Rows rows = new Rows();
      log.replay(
          0,
          new LocalLog.ReplayVisitor() {
            @Override
            public void batch(ChangeBatch batch) {
              rows(batch.partition()).apply(batch);
            }

            @Override
            public void groupEnd(long end) {
              // Folded batch by batch.
            }
          });
      shards.add(new Shard(shards.size(), CONFIG, log, rows, NO_METER, clock));
    }
    all = new Shards(shards);
  }

  private static final Shard.Meter NO_METER =
      new Shard.Meter() {
        @Override
        public void committed(int shard, long rows, long bytes, long commitNanos, long foldNanos) {}

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

  /**
   * Gives up the changes that a table keeps no longer, at once. A real table has folded them into
   * what it keeps on its disk; here their rows are gone with the next start.
   */
  public void retain(List<Integer> partitions, TableOptions options, long nowMicros)
      throws IOException {
    for (Shard shard : shards) {
      List<Integer> here =
          partitions.stream().filter(partition -> all.of(partition) == shard).toList();
      shard
          .log()
          .trim(lastBases(shard.log(), here, options, nowMicros), any -> true, shard.log().end());
    }
  }

  private static Map<Integer, Long> lastBases(
      LocalLog log, List<Integer> partitions, TableOptions options, long nowMicros)
      throws IOException {
    List<RetentionCore.Piece> pieces = new ArrayList<>();
    log.seal();
    for (LocalLog.Kept kept : log.kept(partitions)) {
      pieces.add(
          new RetentionCore.Piece(
              0,
              kept.base(),
              kept.isSealed(),
              kept.bytes(),
              kept.oldestMicros(),
              kept.newestMicros()));
    }
    Map<Integer, Long> lastBases = new HashMap<>();
    for (long base : RetentionCore.decide(options, pieces, nowMicros).lastBases().values()) {
      partitions.forEach(partition -> lastBases.put(partition, base));
    }
    return lastBases;
  }

  /** The rows of a partition. */
  public RowFold rows(int partition) {
    return rowsByPartition.computeIfAbsent(partition, id -> new RowFold());
  }

  /** Rows in memory where a real shard has RocksDB. */
  private final class Rows implements Shard.Rows {

    /** No table is dropped. */
    @Override
    public boolean isLive(int partition) {
      return true;
    }

    @Override
    public boolean exists(int partition, byte[] array, int keyOffset, int keyBytes) {
      return rows(partition).rows().containsKey(Bytes.copyOf(array, keyOffset, keyBytes));
    }

    @Override
    public Map<String, Integer> columnBytes(
        int partition, byte[] array, int keyOffset, int keyBytes) {
      NavigableMap<String, ColumnValue> columns =
          rows(partition).rows().get(Bytes.copyOf(array, keyOffset, keyBytes));
      Map<String, Integer> bytes = new TreeMap<>();
      if (columns != null) {
        columns.keySet().forEach(name -> bytes.put(name, 1 + Long.BYTES));
      }
      return bytes;
    }

    @Override
    public void fold(List<ChangeBatch> batches, long end) {
      batches.forEach(batch -> rows(batch.partition()).apply(batch));
    }

    @Override
    public void foldAgain() {
      throw new UnsupportedOperationException("rows in memory always have room");
    }

    @Override
    public TableRows readable() {
      return new SimTableRows(
          rowsByPartition::keySet, partition -> SimShards.this.rows(partition).columns());
    }

    @Override
    public TableStore store() {
      throw new UnsupportedOperationException("rows of a simulation are not in a TableStore");
    }

    @Override
    public void close() {
      // Nothing is held.
    }
  }
}
