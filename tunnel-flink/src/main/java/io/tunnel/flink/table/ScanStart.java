package io.tunnel.flink.table;

/** Where a scan of changes begins when no state of Flink's says it. */
public enum ScanStart {
  /** The oldest change that is kept. */
  EARLIEST,
  /** The first that is committed after the job has begun. */
  LATEST,
  /** The first that was committed at or after 'scan.start.timestamp-millis'. */
  TIMESTAMP,
  /** Behind the checkpoint of 'tunnel'. */
  CHECKPOINT
}
