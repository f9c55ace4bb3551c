package io.tunnel.server.rocks;

import io.tunnel.server.table.ByteMap;
import io.tunnel.server.table.TableStoreConfig;
import java.util.List;
import java.util.Properties;
import org.rocksdb.AbstractEventListener;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.LRUCache;
import org.rocksdb.MergeOperator;
import org.rocksdb.Options;
import org.rocksdb.StringAppendOperator;

/** The native objects that an open store needs in addition, closed with it. */
final class StoreResources implements AutoCloseable {

  private static final int BLOOM_BITS_PER_KEY = 10;
  private static final int WRITE_BUFFERS_MAX = 3;

  /**
   * RocksDB holds a write buffer as so many, each with an order of its own, and merges them when it
   * writes a file: where a row belongs is found among few, which the processor's cache has.
   */
  private static final int PARTS_OF_WRITE_BUFFER = 4;

  /** A row's key begins with its partition, a {@code u32}. */
  private static final int PARTITION_BYTES = Integer.BYTES;

  /** RocksDB chooses how many. */
  private static final int ANY_SHARDS = -1;

  /** Rows do not crowd indexes and filters out of this part of the cache. */
  private static final double SHARE_OF_INDEXES = 0.5;

  /**
   * Four times RocksDB's own: a row is rewritten a quarter as often on its way down, which is most
   * of what a write costs.
   */
  private static final int FILES_COMPACTED_TOGETHER = 16;

  /**
   * From so many young files on writes are slowed down, from more on they wait. Both have to be
   * beyond what is flushed while a compaction of {@link #FILES_COMPACTED_TOGETHER} runs.
   */
  private static final int FILES_THAT_SLOW_DOWN = 40;

  private static final int FILES_MAX = 72;

  /**
   * A file of rows goes to the disk in pieces while it is written. Written at once when it is
   * complete, its 64 MiB stand before the syncs of the log, and all writers wait for them.
   */
  private static final int BYTES_PER_SYNC = 1 << 20;

  /** Young files are soon rewritten, so packing them is wasted work. */
  private static final List<CompressionType> COMPRESSION =
      List.of(
          CompressionType.NO_COMPRESSION,
          CompressionType.NO_COMPRESSION,
          CompressionType.LZ4_COMPRESSION,
          CompressionType.LZ4_COMPRESSION,
          CompressionType.LZ4_COMPRESSION,
          CompressionType.LZ4_COMPRESSION,
          CompressionType.LZ4_COMPRESSION);

  private final Cache cache;
  private final BloomFilter filter;
  private final MergeOperator append;
  private final AbstractEventListener logFirst;
  private final RocksLog log;
  private final Options options;

  static {
    RocksLibrary.load();
  }

  StoreResources(String store, TableStoreConfig config, ByteMap.LogSync syncLog) {
    cache = new LRUCache(config.blockCacheBytes(), ANY_SHARDS, false, SHARE_OF_INDEXES);
    filter = new BloomFilter(BLOOM_BITS_PER_KEY);
    append = appendParts();
    logFirst = new LogFirst(syncLog);
    log = new RocksLog(store);
    options =
        nearTheLast()
            .setCreateIfMissing(true)
            .setWriteBufferSize(config.writeBufferBytes() / PARTS_OF_WRITE_BUFFER)
            .setMinWriteBufferNumberToMerge(PARTS_OF_WRITE_BUFFER)
            .setMaxWriteBufferNumber(WRITE_BUFFERS_MAX * PARTS_OF_WRITE_BUFFER)
            .setMaxBackgroundJobs(config.backgroundJobs())
            .setBytesPerSync(BYTES_PER_SYNC)
            .setLevel0FileNumCompactionTrigger(FILES_COMPACTED_TOGETHER)
            .setLevel0SlowdownWritesTrigger(FILES_THAT_SLOW_DOWN)
            .setLevel0StopWritesTrigger(FILES_MAX)
            .setMaxBytesForLevelBase((long) FILES_COMPACTED_TOGETHER * config.writeBufferBytes())
            .setCompressionPerLevel(COMPRESSION)
            .setMergeOperator(append)
            .setLevelCompactionDynamicLevelBytes(true)
            .setAllowMmapReads(false)
            // TableStore.close flushes, when the log is safe; otherwise nothing may be written.
            .setAvoidFlushDuringShutdown(true)
            // Figures, which it would say as loudly as trouble.
            .setStatsDumpPeriodSec(0)
            .setListeners(List.of(logFirst))
            .setTableFormatConfig(tableFormat());
    options.setLogger(log);
  }

  /**
   * Indexes and filters are in the cache, so that their memory does not grow with the rows, and in
   * parts, since complete ones are so large that they crowd each other out. Nothing of them is
   * pinned, so the cache is never larger than it may be, but for what is being read.
   */
  private BlockBasedTableConfig tableFormat() {
    return new BlockBasedTableConfig()
        .setBlockCache(cache)
        .setFilterPolicy(filter)
        .setCacheIndexAndFilterBlocks(true)
        .setCacheIndexAndFilterBlocksWithHighPriority(true)
        .setPinL0FilterAndIndexBlocksInCache(false)
        .setPinTopLevelIndexAndFilter(false)
        .setIndexType(IndexType.kTwoLevelIndexSearch)
        .setPartitionFilters(true);
  }

  /**
   * Rows of a partition come in key order: RocksDB searches for each row next to the previous row.
   */
  private static Options nearTheLast() {
    Properties inserts = new Properties();
    inserts.setProperty("memtable_insert_with_hint_prefix_extractor", "fixed:" + PARTITION_BYTES);
    try (DBOptions whole = new DBOptions();
        ColumnFamilyOptions rows = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(inserts)) {
      return new Options(whole, rows);
    }
  }

  /** How the parts of a row become one value: one after the other. */
  static MergeOperator appendParts() {
    return new StringAppendOperator("");
  }

  Options options() {
    return options;
  }

  /** Files stay as they are until the store is asked to compact them. */
  void neverCompact() {
    options.setDisableAutoCompactions(true);
  }

  /** Writes never wait for compactions, however many young files there are. */
  void neverSlowDown() {
    options.setLevel0SlowdownWritesTrigger(Integer.MAX_VALUE);
    options.setLevel0StopWritesTrigger(Integer.MAX_VALUE);
  }

  @Override
  public void close() {
    options.close();
    log.close();
    logFirst.close();
    append.close();
    filter.close();
    cache.close();
  }
}
