package io.tunnel.sdk.processor;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.ColumnValue;
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

  /** What it is set to; null when it is removed. */
  private final ColumnValue value;

  RecordColumn(String name, ColumnValue value) {
    this.name = name;
    this.value = value;
  }

  /** A column that is set. */
  public static RecordColumn put(Column column) {
    return new RecordColumn(column.getName(), column.getValue());
  }

  /** A column that is removed. */
  public static RecordColumn deleted(String name) {
    return new RecordColumn(Objects.requireNonNull(name, "name"), null);
  }

  /** The column's name. */
  public String name() {
    return name;
  }

  /** Name and value; one that is removed has no value, so ask {@link #getColumnType} first. */
  public Column getColumn() {
    return value == null ? Column.removed(name) : new Column(name, value);
  }

  /** What is done to the column. */
  public ColumnType getColumnType() {
    return value == null ? ColumnType.DELETE_ALL_VERSION : ColumnType.PUT;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordColumn that
        && name.equals(that.name)
        && Objects.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, value);
  }

  @Override
  public String toString() {
    return value == null ? "-" + name : name + "=" + value;
  }
}
