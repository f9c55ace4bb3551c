package io.tunnel.flink.table;

/** The form in which a scan shows changes. */
public enum ScanChangelog {
  /**
   * A whole changelog: Flink's state has each row, so updates of single columns become whole rows,
   * and every change has its previous row.
   */
  FULL,
  /** Rows by key, without a state; all writes to the table must be puts and deletes. */
  UPSERT,
  /** Every change as a row of its own. */
  APPEND
}
