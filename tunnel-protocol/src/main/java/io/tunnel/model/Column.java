package io.tunnel.model;

import java.util.Objects;

/** A named attribute of a row. */
public record Column(String name, ColumnValue value) {

  /** Refuses null and a name that is empty or over {@link Limits#COLUMN_NAME_BYTES_MAX}. */
  public Column {
    Names.requireColumnName(name);
    Objects.requireNonNull(value, "value");
  }

  /** The name, as Tablestore's SDK calls it. */
  public String getName() {
    return name;
  }

  /** The value, as Tablestore's SDK calls it. */
  public ColumnValue getValue() {
    return value;
  }
}
