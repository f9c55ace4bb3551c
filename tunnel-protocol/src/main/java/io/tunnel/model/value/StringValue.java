package io.tunnel.model.value;

import java.util.Objects;

/** Unicode text. */
public record StringValue(String value) implements ColumnValue {

  /** Refuses null. */
  public StringValue {
    Objects.requireNonNull(value, "value");
  }

  @Override
  public ColumnType getType() {
    return ColumnType.STRING;
  }

  @Override
  public String asString() {
    return value;
  }

  @Override
  public String toString() {
    return value;
  }
}
