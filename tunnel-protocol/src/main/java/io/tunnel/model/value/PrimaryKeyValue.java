package io.tunnel.model.value;

import java.util.Objects;

/**
 * A value in a primary key: INTEGER, STRING or BINARY. Ask {@link #getType()} first; the {@code
 * as…} methods throw {@link IllegalStateException} on another type. Not a {@link ColumnValue},
 * because keys have fewer types; see {@link #toColumnValue()}.
 */
public final class PrimaryKeyValue {

  /** An INTEGER, a STRING or a BINARY. */
  private final ColumnValue value;

  private PrimaryKeyValue(ColumnValue value) {
    this.value = value;
  }

  /** An INTEGER. */
  public static PrimaryKeyValue fromLong(long value) {
    return new PrimaryKeyValue(new IntegerValue(value));
  }

  /** A STRING. */
  public static PrimaryKeyValue fromString(String value) {
    return new PrimaryKeyValue(new StringValue(value));
  }

  /** A BINARY; the bytes are copied. */
  public static PrimaryKeyValue fromBinary(byte[] value) {
    return fromBinary(Bytes.copyOf(value));
  }

  /** A BINARY. */
  public static PrimaryKeyValue fromBinary(Bytes value) {
    return new PrimaryKeyValue(new BinaryValue(value));
  }

  /**
   * Converts the value of an attribute to a key's value.
   *
   * @throws IllegalArgumentException for a DOUBLE or a BOOLEAN, which a key cannot have
   */
  public static PrimaryKeyValue fromColumn(ColumnValue value) {
    return switch (value.getType()) {
      case INTEGER, STRING, BINARY -> new PrimaryKeyValue(value);
      case DOUBLE, BOOLEAN ->
          throw new IllegalArgumentException("a key has no value of type " + value.getType());
    };
  }

  /** The value as an attribute's value. */
  public ColumnValue toColumnValue() {
    return value;
  }

  /** The type of this value. */
  public PrimaryKeyType getType() {
    if (value instanceof IntegerValue) {
      return PrimaryKeyType.INTEGER;
    }
    return value instanceof StringValue ? PrimaryKeyType.STRING : PrimaryKeyType.BINARY;
  }

  /** The value of an INTEGER. */
  public long asLong() {
    return value.asLong();
  }

  /** The value of a STRING. */
  public String asString() {
    return value.asString();
  }

  /** A copy of the bytes of a BINARY. */
  public byte[] asBinary() {
    return value.asBinary();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrimaryKeyValue that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
