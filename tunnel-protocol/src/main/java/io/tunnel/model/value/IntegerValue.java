package io.tunnel.model.value;

/** A signed 64-bit integer. */
public record IntegerValue(long value) implements PrimaryKeyValue {

  @Override
  public ColumnType type() {
    return ColumnType.INTEGER;
  }

  @Override
  public PrimaryKeyType keyType() {
    return PrimaryKeyType.INTEGER;
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
