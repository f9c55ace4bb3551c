package io.tunnel.model;

import java.util.Objects;

/** One named column of a primary key. */
public record PrimaryKeyColumn(String name, PrimaryKeyValue value) {

  /** Refuses null and a name that is empty or over {@link Limits#COLUMN_NAME_BYTES_MAX}. */
  public PrimaryKeyColumn {
    Names.requireColumnName(name);
    Objects.requireNonNull(value, "value");
  }

  /** The name, as Tablestore's SDK calls it. */
  public String getName() {
    return name;
  }

  /** The value, as Tablestore's SDK calls it. */
  public PrimaryKeyValue getValue() {
    return value;
  }
}
