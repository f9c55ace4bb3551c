package io.tunnel.model.value;

import io.tunnel.model.Limits;
import io.tunnel.model.Names;
import java.util.Objects;

/** A named attribute of a row. Accessors have the names of Tablestore's SDK. */
public final class Column {

  private final String name;

  /** Null for a removed column. */
  private final ColumnValue value;

  /** Refuses null and a name that is empty or over {@link Limits#COLUMN_NAME_BYTES_MAX}. */
  public Column(String name, ColumnValue value) {
    this.name = Names.requireColumnName(name);
    this.value = Objects.requireNonNull(value, "value");
  }

  private Column(String name) {
    this.name = Objects.requireNonNull(name, "name");
    this.value = null;
  }

  /** The name of a column that a change removes, without a value. */
  public static Column removed(String name) {
    return new Column(name);
  }

  /** The name. */
  public String getName() {
    return name;
  }

  /**
   * The value.
   *
   * @throws IllegalStateException when the column is {@link #removed}
   */
  public ColumnValue getValue() {
    if (value == null) {
      throw new IllegalStateException("column '" + name + "' is removed and has no value");
    }
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Column that
        && name.equals(that.name)
        && Objects.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return value == null ? "-" + name : name + "=" + value;
  }
}
