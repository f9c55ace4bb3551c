package io.tunnel.flink.sink;

/** The job's reaction when the service rejects a row. */
public enum RejectedRows {
  /** The job fails, with the row's key and the service's code in the message. */
  FAIL,
  /** The job goes on without the row, which is logged and counted as {@code rowsRejected}. */
  SKIP
}
