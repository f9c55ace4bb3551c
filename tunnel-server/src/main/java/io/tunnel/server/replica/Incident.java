package io.tunnel.server.replica;

/** A rare event of a node's replicas, counted in the metrics for operators. */
public enum Incident {
  /** It asked to lead a partition, by a marker; also again, after an append that failed. */
  CLAIMED,
  /** It began to lead a partition. */
  LED,
  /** It read a record that does not count; every replica reads it, and again when it is rebuilt. */
  FENCED,
  /** An append failed, or its outcome stays unknown; once for each append. */
  APPEND_FAILED,
  /** It refused to read rows that the log had not confirmed for too long. */
  READ_TOO_OLD,
  /** It had no way to continue from what it has: the replica is rebuilt. */
  BEGUN_ANEW
}
