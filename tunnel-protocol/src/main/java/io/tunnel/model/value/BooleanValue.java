package io.tunnel.model.value;

/** True or false. */
public record BooleanValue(boolean value) implements ColumnValue {

  static final BooleanValue TRUE = new BooleanValue(true);
  static final BooleanValue FALSE = new BooleanValue(false);

  @Override
  public ColumnType getType() {
    return ColumnType.BOOLEAN;
  }

  @Override
  public boolean asBoolean() {
    return value;
  }

  @Override
  public String toString() {
    return Boolean.toString(value);
  }
}
