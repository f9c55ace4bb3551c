package io.tunnel.model;

import io.tunnel.condition.Condition;
import java.util.Optional;

/** A change to write to a row. */
public sealed interface RowChange permits RowPutChange, RowUpdateChange, RowDeleteChange {

  /** The row. */
  PrimaryKey primaryKey();

  /** The condition on the existence of the row. */
  RowExistenceExpectation condition();

  /**
   * The condition on the columns that the row has when the change comes to the row, in addition to
   * the condition on its existence. A row that does not exist has its key and no other column.
   */
  Optional<Condition> columnCondition();

  /**
   * The same change with a condition on columns, instead of the condition that the change has. A
   * server that finds a row of which the condition does not hold leaves the row as it is, and
   * answers with {@link ErrorCode#CONDITION_FAILED}.
   *
   * <p>The condition names columns of the row alone. To write under such a condition takes the
   * rights {@code write} and {@code read}, because the answers tell what the row holds.
   */
  RowChange onlyIf(Condition wanted);

  /** What the result of the change has in addition to the outcome; empty for nothing. */
  Optional<Returning> returning();

  /**
   * The same change whose result has these columns of the row, instead of those that the change
   * asks for. Named columns take the rights {@code write} and {@code read}.
   */
  RowChange returning(Returning wanted);

  /** Whether the change has a condition, on the existence of the row or on its columns. */
  default boolean isConditional() {
    return condition() != RowExistenceExpectation.IGNORE || columnCondition().isPresent();
  }

  /** Whether the change adds to columns, so that applying the change twice adds twice. */
  default boolean isIncrement() {
    return false;
  }

  /** The kind of the change. */
  ChangeKind kind();
}
