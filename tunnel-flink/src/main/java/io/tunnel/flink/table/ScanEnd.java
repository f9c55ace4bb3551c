package io.tunnel.flink.table;

/** Where a scan of changes ends. */
public enum ScanEnd {
  /** No end. */
  UNBOUNDED,
  /** At the last positions of the partitions at the start of the job. */
  LATEST,
  /** Before the first change committed at or after 'scan.end.timestamp-millis'. */
  TIMESTAMP
}
