package io.tunnel.model.value;

/** A signed 64-bit integer. */
public record IntegerValue(long value) implements ColumnValue {

  @Override
  public ColumnType getType() {
    return ColumnType.INTEGER;
  }

  @Override
  public long asLong() {
    return value;
  }

  @Override
  public String toString() {
    return Long.toString(value);
  }
}
