package io.tunnel.flink.table;

/** The effect of an INSERT, or of an update in a changelog. */
public enum WriteMode {
  /** Replaces the whole row: columns that are NULL or unknown to the SQL table are removed. */
  PUT,
  /**
   * Sets the columns that the statement names: NULL removes a column, unnamed columns stay
   * unchanged.
   */
  UPDATE
}
