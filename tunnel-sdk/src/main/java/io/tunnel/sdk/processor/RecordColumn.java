package io.tunnel.sdk.processor;

import io.tunnel.model.value.Column;
import java.util.Objects;

/** What a change does to one column. */
public final class RecordColumn {

  /** What is done to the column. */
  public enum ColumnType {
    /** It is set. */
    PUT,
    /** One version of it is removed; rows have one version here, so this never occurs. */
    DELETE_ONE_VERSION,
    /** It is removed. */
    DELETE_ALL_VERSION
  }

  private final String name;
  private final Column column;

  private RecordColumn(String name, Column column) {
    this.name = name;
    this.column = column;
  }

  /** A column that is set. */
  public static RecordColumn put(Column column) {
    return new RecordColumn(column.getName(), column);
  }

  /** A column that is removed. */
  public static RecordColumn deleted(String name) {
    return new RecordColumn(Objects.requireNonNull(name, "name"), null);
  }

  /** The column's name. */
  public String name() {
    return name;
  }

  /**
   * Name and value.
   *
   * @throws IllegalStateException when the column is removed: it has no value then
   */
  public Column getColumn() {
    if (column == null) {
      throw new IllegalStateException(
          "column '" + name + "' is removed and has no value; ask getColumnType() first");
    }
    return column;
  }

  /** What is done to the column. */
  public ColumnType getColumnType() {
    return column == null ? ColumnType.DELETE_ALL_VERSION : ColumnType.PUT;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordColumn that
        && name.equals(that.name)
        && Objects.equals(column, that.column);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, column);
  }

  @Override
  public String toString() {
    return column == null ? "-" + name : name + "=" + column.getValue();
  }
}
