package io.tunnel.model;

import io.tunnel.condition.Condition;
import io.tunnel.model.value.ColumnUpdate;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Sets, adds to and removes single columns of a row, and creates the row if it does not exist. */
public record RowUpdateChange(
    PrimaryKey primaryKey,
    List<ColumnUpdate> updates,
    RowExistenceExpectation condition,
    Optional<Condition> columnCondition,
    Optional<Returning> returning)
    implements RowChange {

  /** Refuses null, an empty list of updates, and more than {@link Limits#ROW_COLUMNS_MAX}. */
  public RowUpdateChange {
    Objects.requireNonNull(primaryKey, "primaryKey");
    updates = List.copyOf(updates);
    Objects.requireNonNull(condition, "condition");
    Objects.requireNonNull(columnCondition, "columnCondition");
    Objects.requireNonNull(returning, "returning");
    if (updates.isEmpty() || updates.size() > Limits.ROW_COLUMNS_MAX) {
      throw new IllegalArgumentException(
          "an update names 1 to " + Limits.ROW_COLUMNS_MAX + " columns, not " + updates.size());
    }
  }

  /** An update that returns nothing. */
  public RowUpdateChange(
      PrimaryKey primaryKey,
      List<ColumnUpdate> updates,
      RowExistenceExpectation condition,
      Optional<Condition> columnCondition) {
    this(primaryKey, updates, condition, columnCondition, Optional.empty());
  }

  /** A update under a condition on the existence of the row alone. */
  public RowUpdateChange(
      PrimaryKey primaryKey, List<ColumnUpdate> updates, RowExistenceExpectation condition) {
    this(primaryKey, updates, condition, Optional.empty());
  }

  /** An unconditional update. */
  public RowUpdateChange(PrimaryKey primaryKey, List<ColumnUpdate> updates) {
    this(primaryKey, updates, RowExistenceExpectation.IGNORE);
  }

  @Override
  public boolean isIncrement() {
    return updates.stream().anyMatch(ColumnUpdate.Increment.class::isInstance);
  }

  @Override
  public ChangeKind kind() {
    return ChangeKind.UPDATE;
  }

  @Override
  public RowUpdateChange onlyIf(Condition wanted) {
    return new RowUpdateChange(primaryKey, updates, condition, Optional.of(wanted), returning);
  }

  @Override
  public RowUpdateChange returning(Returning wanted) {
    return new RowUpdateChange(
        primaryKey, updates, condition, columnCondition, Optional.of(wanted));
  }
}
