package io.tunnel.server.partition;

/** Features of tables that not every kind of log has. */
public enum LogFeature {
  /** A batch counts as a whole or not at all. */
  ATOMIC_BATCHES,
  /** The server numbers rows, and gives no number twice. */
  AUTO_KEYS,
  /** A row is deleted when the session ends that the row is bound to. */
  ROW_SESSIONS,
  /** A row is deleted some time after its last write. */
  TIME_TO_LIVE,
  /** A table keeps changes up to a number of bytes. */
  RETENTION_BYTES
}
