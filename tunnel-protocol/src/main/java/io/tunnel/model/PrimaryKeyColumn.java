package io.tunnel.model;

import io.tunnel.model.value.Column;
import io.tunnel.model.value.PrimaryKeyValue;
import java.util.Objects;

/** One named column of a primary key. Accessors have the names of Tablestore's SDK. */
public final class PrimaryKeyColumn {

  private final String name;
  private final PrimaryKeyValue value;

  /** Refuses null and a name that is empty or over {@link Limits#COLUMN_NAME_BYTES_MAX}. */
  public PrimaryKeyColumn(String name, PrimaryKeyValue value) {
    this.name = Names.requireColumnName(name);
    this.value = Objects.requireNonNull(value, "value");
  }

  private PrimaryKeyColumn(PrimaryKeyValue value, String name) {
    this.name = name;
    this.value = value;
  }

  /** A column whose name was checked before. */
  static PrimaryKeyColumn checked(String name, PrimaryKeyValue value) {
    return new PrimaryKeyColumn(value, name);
  }

  /** The name. */
  public String getName() {
    return name;
  }

  /** The value. */
  public PrimaryKeyValue getValue() {
    return value;
  }

  /** The column as an attribute column. */
  public Column toColumn() {
    return new Column(name, value.toColumnValue());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrimaryKeyColumn that
        && name.equals(that.name)
        && value.equals(that.value);
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
