package io.tunnel.flink.sink;

/** What becomes of the job when the service rejects a row for what the row is. */
public enum RejectedRows {
  /** It fails, with the row's key and the service's code in the message. */
  FAIL,
  /** It goes on without the row, which is counted as {@code rowsRejected} and logged. */
  SKIP
}
