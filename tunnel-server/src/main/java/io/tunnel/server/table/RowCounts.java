package io.tunnel.server.table;

import io.tunnel.server.table.TableStore.RowCount;

/** Counts rows one by one up to a limit, and estimates the rest by the bytes that they take. */
final class RowCounts {

  private RowCounts() {}

  /** Of a partition; the caller keeps the map open. */
  static RowCount of(ByteMap map, int partition, long countedMax) {
    byte[] first = StoreFormat.partitionKey(partition);
    byte[] end = StoreFormat.partitionKey(partition + 1);
    long rows = 0;
    long bytes = map.approximateBytes(first, end);
    try (ByteMap.Cursor at = map.between(first, end, false)) {
      for (at.toFirst(); at.isValid(); at.next()) {
        if (rows == countedMax) {
          long countedBytes = Math.max(1, map.approximateBytes(first, at.key()));
          return new RowCount((long) ((double) rows * bytes / countedBytes), false, bytes);
        }
        rows++;
      }
      at.requireWhole();
    }
    return new RowCount(rows, true, bytes);
  }
}
