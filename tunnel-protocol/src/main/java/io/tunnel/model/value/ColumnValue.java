package io.tunnel.model.value;

/**
 * The value of a column. Ask {@link #getType()} first, or match on the record types; the {@code
 * as…} methods throw {@link IllegalStateException} on another type.
 */
public sealed interface ColumnValue
    permits IntegerValue, DoubleValue, BooleanValue, StringValue, BinaryValue {

  /** The type of this value. */
  ColumnType getType();

  /**
   * The value as an object: a {@link Long}, {@link Double}, {@link Boolean} or {@link String}, or a
   * copy of the bytes of a BINARY as a {@code byte[]}.
   */
  default Object getValue() {
    return switch (getType()) {
      case INTEGER -> asLong();
      case DOUBLE -> asDouble();
      case BOOLEAN -> asBoolean();
      case STRING -> asString();
      case BINARY -> asBinary();
    };
  }

  /** An INTEGER. */
  static ColumnValue fromLong(long value) {
    return new IntegerValue(value);
  }

  /** A DOUBLE. */
  static ColumnValue fromDouble(double value) {
    return new DoubleValue(value);
  }

  /** A BOOLEAN. */
  static ColumnValue fromBoolean(boolean value) {
    return value ? BooleanValue.TRUE : BooleanValue.FALSE;
  }

  /**
   * A STRING. It must be encodable as UTF-8: an unpaired surrogate is refused when the row is
   * written.
   */
  static ColumnValue fromString(String value) {
    return new StringValue(value);
  }

  /** A BINARY; the bytes are copied. */
  static ColumnValue fromBinary(byte[] value) {
    return new BinaryValue(Bytes.copyOf(value));
  }

  /** The value of an INTEGER. */
  default long asLong() {
    throw wrongType(ColumnType.INTEGER);
  }

  /** The value of a DOUBLE. */
  default double asDouble() {
    throw wrongType(ColumnType.DOUBLE);
  }

  /** The value of a BOOLEAN. */
  default boolean asBoolean() {
    throw wrongType(ColumnType.BOOLEAN);
  }

  /** The value of a STRING. */
  default String asString() {
    throw wrongType(ColumnType.STRING);
  }

  /** A copy of the bytes of a BINARY. */
  default byte[] asBinary() {
    throw wrongType(ColumnType.BINARY);
  }

  private IllegalStateException wrongType(ColumnType wanted) {
    return new IllegalStateException("the value is " + getType() + ", not " + wanted);
  }
}
