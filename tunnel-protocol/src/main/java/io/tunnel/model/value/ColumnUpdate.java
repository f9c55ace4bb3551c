package io.tunnel.model.value;

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

  /** Removes the column; no error when the row does not have it. */
  record Delete(String name) implements ColumnUpdate {
    /** Refuses bad names. */
    public Delete {
      Names.requireColumnName(name);
    }
  }
}
