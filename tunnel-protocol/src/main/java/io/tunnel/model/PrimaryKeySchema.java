package io.tunnel.model;

import io.tunnel.model.value.PrimaryKeyType;
import java.util.Objects;

/** Name and type of one primary-key column of a table. */
public record PrimaryKeySchema(String name, PrimaryKeyType type) {

  /** Refuses null and bad names. */
  public PrimaryKeySchema {
    Names.requireColumnName(name);
    Objects.requireNonNull(type, "type");
  }
}
