package io.tunnel.server.table;

import io.tunnel.server.table.TableStore.RowCount;
import java.util.List;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksIterator;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;

/** Counts rows one by one up to a limit, and estimates the rest by the bytes that they take. */
final class RowCounts {

  private RowCounts() {}

  /** Of a partition; the caller keeps the database open. */
  static RowCount of(RocksDB db, int partition, long countedMax) {
    byte[] first = StoreFormat.partitionKey(partition);
    byte[] end = StoreFormat.partitionKey(partition + 1);
    long rows = 0;
    long bytes;
    try (Slice upper = new Slice(end);
        ReadOptions range = new ReadOptions().setIterateUpperBound(upper).setFillCache(false);
        RocksIterator at = db.newIterator(range)) {
      bytes = approximateBytes(db, first, end);
      for (at.seek(first); at.isValid(); at.next()) {
        if (rows == countedMax) {
          long countedBytes = Math.max(1, approximateBytes(db, first, at.key()));
          return new RowCount((long) ((double) rows * bytes / countedBytes), false, bytes);
        }
        rows++;
      }
      TableStore.requireWholeScan(at);
    }
    return new RowCount(rows, true, bytes);
  }

  private static long approximateBytes(RocksDB db, byte[] from, byte[] to) {
    try (Slice start = new Slice(from);
        Slice limit = new Slice(to)) {
      return db.getApproximateSizes(
              List.of(new Range(start, limit)),
              SizeApproximationFlag.INCLUDE_FILES,
              SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
    }
  }
}
