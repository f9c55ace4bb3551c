package io.tunnel.flink.table;

/** The start of a scan of changes without a Flink state. */
public enum ScanStart {
  /** The oldest kept change. */
  EARLIEST,
  /** The first change after the start of the job. */
  LATEST,
  /** The first change committed at or after 'scan.start.timestamp-millis'. */
  TIMESTAMP,
  /** Behind the checkpoint of 'tunnel'. */
  CHECKPOINT
}
