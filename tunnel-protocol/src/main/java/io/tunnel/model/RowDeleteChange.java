package io.tunnel.model;

import io.tunnel.condition.Condition;
import java.util.Objects;
import java.util.Optional;

/** Removes a row. Removing a row that does not exist is a change like any other. */
public record RowDeleteChange(
    PrimaryKey primaryKey,
    RowExistenceExpectation condition,
    Optional<Condition> columnCondition,
    Optional<Returning> returning)
    implements RowChange {

  /** Refuses null. */
  public RowDeleteChange {
    Objects.requireNonNull(primaryKey, "primaryKey");
    Objects.requireNonNull(condition, "condition");
    Objects.requireNonNull(columnCondition, "columnCondition");
    Objects.requireNonNull(returning, "returning");
  }

  /** A delete that returns nothing. */
  public RowDeleteChange(
      PrimaryKey primaryKey,
      RowExistenceExpectation condition,
      Optional<Condition> columnCondition) {
    this(primaryKey, condition, columnCondition, Optional.empty());
  }

  /** A delete under a condition on the existence of the row alone. */
  public RowDeleteChange(PrimaryKey primaryKey, RowExistenceExpectation condition) {
    this(primaryKey, condition, Optional.empty());
  }

  /** An unconditional delete. */
  public RowDeleteChange(PrimaryKey primaryKey) {
    this(primaryKey, RowExistenceExpectation.IGNORE);
  }

  @Override
  public ChangeKind kind() {
    return ChangeKind.DELETE;
  }

  @Override
  public RowDeleteChange onlyIf(Condition wanted) {
    return new RowDeleteChange(primaryKey, condition, Optional.of(wanted), returning);
  }

  @Override
  public RowDeleteChange returning(Returning wanted) {
    return new RowDeleteChange(primaryKey, condition, columnCondition, Optional.of(wanted));
  }
}
