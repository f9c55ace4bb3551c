package io.tunnel.flink.table;

/** Where a scan of changes ends. */
public enum ScanEnd {
  /** Nowhere. */
  UNBOUNDED,
  /** At the positions that the partitions have when the job begins. */
  LATEST,
  /** In front of the first change that was committed at or after 'scan.end.timestamp-millis'. */
  TIMESTAMP
}
