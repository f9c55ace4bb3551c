package io.tunnel.flink.table.row;

import io.tunnel.flink.table.RowMismatchException;
import io.tunnel.model.Names;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.ColumnValue;
import java.io.Serializable;
import java.util.Objects;

/** A column of a SQL table that is stored: its name, its type, and whether it may be null. */
public record Field(String name, FieldKind kind, boolean isNullable) implements Serializable {

  private static final long serialVersionUID = 1L;

  public Field {
    Names.requireColumnName(name);
    Objects.requireNonNull(kind, "kind");
  }

  /**
   * A stored value as Flink's tables keep it.
   *
   * @param value null when the row has no such column
   * @param key of the row, for the error
   * @throws RowMismatchException when the value is not what the column is declared to be
   */
  public Object toSql(ColumnValue value, PrimaryKey key) {
    if (value == null) {
      if (!isNullable) {
        throw new RowMismatchException(
            "row " + key + " has no column '" + name + "', which is declared NOT NULL");
      }
      return null;
    }
    if (value.getType() != kind.columnType()) {
      throw new RowMismatchException(
          "column '"
              + name
              + "' of row "
              + key
              + " is "
              + value.getType()
              + ", but is declared "
              + kind
              + ", which is "
              + kind.columnType()
              + "; "
              + value.getType()
              + " is declared "
              + FieldKind.of(value.getType()));
    }
    return kind.toSql(value);
  }
}
