package io.tunnel.model.value;

/** An IEEE 754 double; equality is defined by {@link Double#compare}. */
public record DoubleValue(double value) implements ColumnValue {

  @Override
  public ColumnType getType() {
    return ColumnType.DOUBLE;
  }

  @Override
  public double asDouble() {
    return value;
  }

  @Override
  public String toString() {
    return Double.toString(value);
  }
}
