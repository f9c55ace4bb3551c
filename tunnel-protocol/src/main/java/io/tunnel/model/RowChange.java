package io.tunnel.model;

/** A change to write to a row. */
public sealed interface RowChange permits RowPutChange, RowUpdateChange, RowDeleteChange {

  /** The row. */
  PrimaryKey primaryKey();

  /** The condition on the existence of the row. */
  RowExistenceExpectation condition();

  /** The kind of the change. */
  ChangeKind kind();
}
