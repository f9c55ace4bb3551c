package io.tunnel.model.value;

import io.tunnel.model.Limits;
import io.tunnel.model.Names;
import java.util.Objects;

/** A named attribute of a row. Its accessors are named as Tablestore's SDK names them. */
public final class Column {

  private final String name;
  private final ColumnValue value;

  /** Refuses null and a name that is empty or over {@link Limits#COLUMN_NAME_BYTES_MAX}. */
  public Column(String name, ColumnValue value) {
    this.name = Names.requireColumnName(name);
    this.value = Objects.requireNonNull(value, "value");
  }

  /** The name. */
  public String getName() {
    return name;
  }

  /** The value. */
  public ColumnValue getValue() {
    return value;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Column that && name.equals(that.name) && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return 31 * name.hashCode() + value.hashCode();
  }

  @Override
  public String toString() {
    return name + "=" + value;
  }
}
