package io.tunnel.flink.table.row;

import io.tunnel.flink.table.RowMismatchException;
import io.tunnel.model.Names;
import io.tunnel.model.PrimaryKey;
import io.tunnel.model.value.ColumnValue;
import java.io.Serializable;
import java.util.Objects;

/** A stored column of a SQL table. */
public record Field(String name, FieldKind kind, boolean isNullable) implements Serializable {

  private static final long serialVersionUID = 1L;

  public Field {
    Names.requireColumnName(name);
    Objects.requireNonNull(kind, "kind");
  }

  /**
   * Converts a stored value to Flink's internal form.
   *
   * @param value null when the row lacks the column
   * @param key the key of the row, for the error
   * @throws RowMismatchException when the value does not match the declaration
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
