package io.tunnel.server.metrics;

/** The figures of RocksDB that are worth watching, with RocksDB's names for them. */
enum RocksFigure {
  KEYS("tunnel.rocksdb.keys", "rocksdb.estimate-num-keys"),
  LIVE_BYTES("tunnel.rocksdb.live.bytes", "rocksdb.estimate-live-data-size"),
  FILE_BYTES("tunnel.rocksdb.file.bytes", "rocksdb.total-sst-files-size"),
  WRITE_BUFFER_BYTES("tunnel.rocksdb.writebuffer.bytes", "rocksdb.cur-size-all-mem-tables"),
  COMPACTION_PENDING_BYTES(
      "tunnel.rocksdb.compaction.pending.bytes", "rocksdb.estimate-pending-compaction-bytes"),
  RUNNING_COMPACTIONS("tunnel.rocksdb.compactions", "rocksdb.num-running-compactions"),
  RUNNING_FLUSHES("tunnel.rocksdb.flushes", "rocksdb.num-running-flushes"),
  IS_STALLED("tunnel.rocksdb.stalled", "rocksdb.is-write-stopped"),
  BLOCK_CACHE_BYTES("tunnel.rocksdb.blockcache.bytes", "rocksdb.block-cache-usage");

  private final String meter;
  private final String property;

  RocksFigure(String meter, String property) {
    this.meter = meter;
    this.property = property;
  }

  String meter() {
    return meter;
  }

  String property() {
    return property;
  }
}
