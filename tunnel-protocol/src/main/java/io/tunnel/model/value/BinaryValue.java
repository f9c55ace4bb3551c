package io.tunnel.model.value;

import java.util.Objects;

/** Bytes. */
public record BinaryValue(Bytes value) implements ColumnValue {

  /** Refuses null. */
  public BinaryValue {
    Objects.requireNonNull(value, "value");
  }

  @Override
  public ColumnType getType() {
    return ColumnType.BINARY;
  }

  @Override
  public byte[] asBinary() {
    return value.toByteArray();
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
