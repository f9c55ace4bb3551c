package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;
import io.tunnel.model.value.IntegerValue;
import java.util.Optional;

/**
 * Adds what a change adds to columns of its row. The process that decides about the change does so
 * once; the log, and all who read the log, have the results as columns that are set.
 */
public final class IncrementCore {

  private IncrementCore() {}

  /** What an increment finds in a column of the row. */
  public record Found(Kind kind, long value) {

    /** No column, or no row. */
    public static final Found MISSING = new Found(Kind.MISSING, 0);

    private static final Found OTHER = new Found(Kind.OTHER, 0);

    /** What may be found. */
    public enum Kind {
      /** No column. */
      MISSING,
      /** A number that is added to. */
      INTEGER,
      /** A value of another type. */
      OTHER
    }

    /** A decoded column; null where the row has none. */
    public static Found of(ColumnValue value) {
      if (value == null) {
        return MISSING;
      }
      return value instanceof IntegerValue integer
          ? new Found(Kind.INTEGER, integer.value())
          : OTHER;
    }

    /** An encoded type and value, or the removal of a column. */
    public static Found at(byte[] array, int from, int end) {
      ColumnCursor column = new ColumnCursor(array);
      column.moveToValue(array, from, end);
      if (column.isDelete()) {
        return MISSING;
      }
      return column.type() == ColumnType.INTEGER
          ? new Found(Kind.INTEGER, Binary.getLong(array, column.valueOffset()))
          : OTHER;
    }

    /** Why nothing can be added; empty when {@code delta} can. */
    private Optional<ErrorCode> refusal(long delta) {
      return switch (kind) {
        case MISSING -> Optional.empty();
        case OTHER -> Optional.of(ErrorCode.NOT_AN_INTEGER);
        case INTEGER ->
            overflows(delta) ? Optional.of(ErrorCode.INTEGER_OVERFLOW) : Optional.empty();
      };
    }

    /** Whether both numbers have one sign, and their sum has the other sign. */
    private boolean overflows(long delta) {
      long sum = value + delta;
      return ((value ^ sum) & (delta ^ sum)) < 0;
    }
  }

  /** The row as the change finds it. */
  @FunctionalInterface
  public interface Before {
    /** A column, by its name. */
    Found column(String name);
  }

  /**
   * Puts the results into the columns that a row adds to, in the array of the row's batch; see
   * {@link RowsToJudge}.
   *
   * @return why the row cannot be applied, of the first column in its order; no column is changed
   *     then. Empty when all columns have their results
   */
  public static Optional<ErrorCode> add(RowCursor row, Increments increments, Before before) {
    long[] results = new long[increments.size()];
    ColumnCursor columns = row.columns();
    int next = 0;
    for (int place = 0; next < results.length && columns.next(); place++) {
      if (place == increments.place(next)) {
        Found found = before.column(row.batch().name(columns.nameIndex()));
        long delta = increments.delta(next);
        Optional<ErrorCode> refusal = found.refusal(delta);
        if (refusal.isPresent()) {
          return refusal;
        }
        results[next++] = found.value() + delta;
      }
    }
    columns = row.columns();
    next = 0;
    for (int place = 0; next < results.length && columns.next(); place++) {
      if (place == increments.place(next)) {
        columns.setInteger(results[next++]);
      }
    }
    return Optional.empty();
  }
}
