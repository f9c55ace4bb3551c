package io.tunnel.bench.fold;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.IndexType;
import org.rocksdb.Options;

/** How rows are kept. */
enum Way {
  /** Rows are made, sorted and written into an array, and not kept: what all others do besides. */
  NOT_KEPT,
  /** As a server does. */
  CHOSEN,
  /** RocksDB's own options, with LZ4 on all levels. */
  PLAIN,
  /** Like {@link #CHOSEN}, and the buffer in one part. */
  WHOLE_BUFFER,
  /** Like {@link #CHOSEN}, and the buffer in eight parts. */
  EIGHTHS,
  /** Like {@link #CHOSEN}, and universal compaction. */
  UNIVERSAL,
  /** Like {@link #CHOSEN}, and 8 young files are compacted together instead of 16. */
  EIGHT_FILES,
  /** Likewise 32. */
  THIRTY_TWO_FILES,
  /** Like {@link #CHOSEN}, and no compression. */
  UNCOMPRESSED,
  /** Like {@link #CHOSEN}, and values of 64 bytes and more in files of their own. */
  BLOBS,
  /** Like {@link #CHOSEN}, and flushes and compactions leave out the page cache. */
  DIRECT,
  /** Like {@link #CHOSEN}, and memory for 256 MiB of rows before they are written. */
  LARGE_BUFFER,
  /** Rows are gathered in memory, and each 64 MiB of them taken in as one sorted file. */
  INGESTED,
  /** Likewise 256 MiB. */
  INGESTED_LARGE;

  private static final long MIB = 1 << 20;
  private static final int BLOB_BYTES_MIN = 64;

  private static final Set<Way> IN_ONE_PART =
      EnumSet.of(PLAIN, WHOLE_BUFFER, INGESTED, INGESTED_LARGE);

  String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Bytes of rows that are gathered before they are taken in; 0 when they are written at once. */
  long gatheredBytes() {
    return this == INGESTED || this == INGESTED_LARGE ? bufferBytes() : 0;
  }

  private long bufferBytes() {
    return this == LARGE_BUFFER || this == INGESTED_LARGE ? 256 * MIB : 64 * MIB;
  }

  /** How many parts the buffer has; RocksDB merges them when it writes a file. */
  private int parts() {
    if (IN_ONE_PART.contains(this)) {
      return 1;
    }
    return this == EIGHTHS ? 8 : 4;
  }

  /** Files of the first level that are compacted together. */
  private int youngFiles() {
    if (this == EIGHT_FILES) {
      return 8;
    }
    return this == THIRTY_TWO_FILES ? 32 : 16;
  }

  Options options(Cache cache, BloomFilter filter) {
    Options options =
        (this == PLAIN ? new Options() : nearTheLast())
            .setCreateIfMissing(true)
            .setWriteBufferSize(bufferBytes() / parts())
            .setMinWriteBufferNumberToMerge(parts())
            .setMaxWriteBufferNumber(3 * parts())
            .setMaxBackgroundJobs(2)
            .setLevelCompactionDynamicLevelBytes(true)
            .setTableFormatConfig(
                new BlockBasedTableConfig()
                    .setBlockCache(cache)
                    .setFilterPolicy(filter)
                    .setCacheIndexAndFilterBlocks(true)
                    .setIndexType(IndexType.kTwoLevelIndexSearch)
                    .setPartitionFilters(true));
    if (this == PLAIN) {
      return options.setCompressionType(CompressionType.LZ4_COMPRESSION);
    }
    options
        .setLevel0FileNumCompactionTrigger(youngFiles())
        .setMaxBytesForLevelBase(youngFiles() * bufferBytes())
        .setLevel0SlowdownWritesTrigger(youngFiles() * 5 / 2)
        .setLevel0StopWritesTrigger(youngFiles() * 9 / 2)
        .setCompressionPerLevel(compression());
    if (this == UNIVERSAL) {
      options.setCompactionStyle(CompactionStyle.UNIVERSAL);
    }
    if (this == BLOBS) {
      options.setEnableBlobFiles(true).setMinBlobSize(BLOB_BYTES_MIN);
    }
    return options.setUseDirectIoForFlushAndCompaction(this == DIRECT);
  }

  /** Each row of a partition is looked for beside the one before it. */
  private static Options nearTheLast() {
    Properties inserts = new Properties();
    inserts.setProperty("memtable_insert_with_hint_prefix_extractor", "fixed:4");
    try (DBOptions whole = new DBOptions();
        ColumnFamilyOptions rows = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(inserts)) {
      return new Options(whole, rows);
    }
  }

  private List<CompressionType> compression() {
    List<CompressionType> levels =
        new ArrayList<>(Collections.nCopies(7, CompressionType.NO_COMPRESSION));
    for (int level = 2; this != UNCOMPRESSED && level < levels.size(); level++) {
      levels.set(level, CompressionType.LZ4_COMPRESSION);
    }
    return levels;
  }
}
