package io.tunnel.flink.table;

/** What an INSERT, or an update of a changelog, writes. */
public enum WriteMode {
  /** The whole row: columns that the SQL table does not have, or that are NULL, are gone then. */
  PUT,
  /** The columns that the statement names: NULL removes one, all others stay as they are. */
  UPDATE
}
