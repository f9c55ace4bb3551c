package io.tunnel.model.value;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Names;
import java.util.Objects;

/** The effect of an update on one column of a row. */
public sealed interface ColumnUpdate {

  /** The column that is updated. */
  String name();

  /** Sets the column, whether or not the row has it. */
  record Put(String name, ColumnValue value) implements ColumnUpdate {
    /** Refuses null and bad names. */
    public Put {
      Names.requireColumnName(name);
      Objects.requireNonNull(value, "value");
    }
  }

  /**
   * Adds a number to an INTEGER column. A missing column, and one of a missing row, counts from 0.
   * The server refuses the row with {@link ErrorCode#NOT_AN_INTEGER} when the column has another
   * type, and with {@link ErrorCode#INTEGER_OVERFLOW} when the result does not fit into 64 bits;
   * the row then stays as it is, and other rows of the write are not affected.
   *
   * <p>An increment takes the rights {@code write} and {@code read}, because the refusals tell what
   * the row holds. A write whose outcome is in doubt may have been applied: to repeat it would add
   * twice.
   *
   * @param delta what is added; negative to subtract
   */
  record Increment(String name, long delta) implements ColumnUpdate {
    /** Refuses bad names. */
    public Increment {
      Names.requireColumnName(name);
    }
  }

  /** Removes the column; no error when the row does not have it. */
  record Delete(String name) implements ColumnUpdate {
    /** Refuses bad names. */
    public Delete {
      Names.requireColumnName(name);
    }
  }
}
