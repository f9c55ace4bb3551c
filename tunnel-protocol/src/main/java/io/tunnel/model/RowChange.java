package io.tunnel.model;

/** A change that a writer asks for. */
public sealed interface RowChange permits RowPutChange, RowUpdateChange, RowDeleteChange {

  /** The row. */
  PrimaryKey primaryKey();

  /** What must hold of the row for the change to be applied. */
  RowExistenceExpectation condition();

  /** What the change does. */
  ChangeKind kind();
}
