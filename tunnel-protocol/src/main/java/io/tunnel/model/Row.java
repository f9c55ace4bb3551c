package io.tunnel.model;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
import java.util.List;
import java.util.Objects;

/** A stored row: its key and its columns. The order of the columns has no meaning. */
public record Row(PrimaryKey primaryKey, List<Column> columns) {

  /** Refuses null. */
  public Row {
    Objects.requireNonNull(primaryKey, "primaryKey");
    columns = List.copyOf(columns);
  }

  /** The value of the column with a name, or null. */
  public ColumnValue value(String name) {
    for (Column column : columns) {
      if (column.getName().equals(name)) {
        return column.getValue();
      }
    }
    return null;
  }
}
