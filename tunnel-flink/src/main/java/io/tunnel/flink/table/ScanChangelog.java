package io.tunnel.flink.table;

/** As what a scan shows changes. */
public enum ScanChangelog {
  /**
   * A whole changelog: Flink's state holds each row, so updates of single columns become whole rows
   * and every change has its row before.
   */
  FULL,
  /** Rows by key, without a state of the connector's; the table must be written by puts alone. */
  UPSERT,
  /** Every change as a row of its own. */
  APPEND
}
