package io.tunnel.model;

import java.util.Objects;

/** Removes a row. Removing a row that does not exist is a change like any other. */
public record RowDeleteChange(PrimaryKey primaryKey, RowExistenceExpectation condition)
    implements RowChange {

  /** Refuses null. */
  public RowDeleteChange {
    Objects.requireNonNull(primaryKey, "primaryKey");
    Objects.requireNonNull(condition, "condition");
  }

  /** An unconditional delete. */
  public RowDeleteChange(PrimaryKey primaryKey) {
    this(primaryKey, RowExistenceExpectation.IGNORE);
  }

  @Override
  public ChangeKind kind() {
    return ChangeKind.DELETE;
  }
}
