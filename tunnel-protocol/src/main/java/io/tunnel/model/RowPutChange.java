package io.tunnel.model;

import io.tunnel.condition.Condition;
import io.tunnel.model.value.Column;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Replaces a row by these columns, or creates it. Writing refuses a duplicate column. */
public record RowPutChange(
    PrimaryKey primaryKey,
    List<Column> columns,
    RowExistenceExpectation condition,
    Optional<Condition> columnCondition,
    Optional<Returning> returning)
    implements RowChange {

  /** Refuses null and more than {@link Limits#ROW_COLUMNS_MAX} columns. */
  public RowPutChange {
    Objects.requireNonNull(primaryKey, "primaryKey");
    columns = List.copyOf(columns);
    Objects.requireNonNull(condition, "condition");
    Objects.requireNonNull(columnCondition, "columnCondition");
    Objects.requireNonNull(returning, "returning");
    if (columns.size() > Limits.ROW_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "a row has at most " + Limits.ROW_COLUMNS_MAX + " columns, not " + columns.size());
    }
  }

  /** A put that returns nothing. */
  public RowPutChange(
      PrimaryKey primaryKey,
      List<Column> columns,
      RowExistenceExpectation condition,
      Optional<Condition> columnCondition) {
    this(primaryKey, columns, condition, columnCondition, Optional.empty());
  }

  /** A put under a condition on the existence of the row alone. */
  public RowPutChange(
      PrimaryKey primaryKey, List<Column> columns, RowExistenceExpectation condition) {
    this(primaryKey, columns, condition, Optional.empty());
  }

  /** An unconditional put. */
  public RowPutChange(PrimaryKey primaryKey, List<Column> columns) {
    this(primaryKey, columns, RowExistenceExpectation.IGNORE);
  }

  @Override
  public ChangeKind kind() {
    return ChangeKind.PUT;
  }

  @Override
  public RowPutChange onlyIf(Condition wanted) {
    return new RowPutChange(primaryKey, columns, condition, Optional.of(wanted), returning);
  }

  @Override
  public RowPutChange returning(Returning wanted) {
    return new RowPutChange(primaryKey, columns, condition, columnCondition, Optional.of(wanted));
  }
}
