package io.tunnel.model.value;

import java.util.Objects;

/**
 * A value in a primary key: INTEGER, STRING or BINARY. Ask {@link #getType()} first; the {@code
 * as…} methods throw {@link IllegalStateException} on another type. Not a {@link ColumnValue},
 * because keys have fewer types; see {@link #toColumnValue()}.
 */
public final class PrimaryKeyValue {

  private static final PrimaryKeyValue AUTO = new PrimaryKeyValue(new IntegerValue(0), true);

  /** An INTEGER, a STRING or a BINARY; without meaning where the server is to choose it. */
  private final ColumnValue value;

  private final boolean isAuto;

  private PrimaryKeyValue(ColumnValue value) {
    this(value, false);
  }

  private PrimaryKeyValue(ColumnValue value, boolean isAuto) {
    this.value = value;
    this.isAuto = isAuto;
  }

  /**
   * Stands in a PUT for the INTEGER that the server chooses, in the AUTO column of a table's key.
   * The result of the row has the key with its number. Refused where a row must be named: in an
   * UPDATE, a DELETE or a read.
   */
  public static PrimaryKeyValue auto() {
    return AUTO;
  }

  /** Whether the server is to choose the value. */
  public boolean isAuto() {
    return isAuto;
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

  /**
   * The value as an attribute's value.
   *
   * @throws IllegalStateException for {@link #auto}
   */
  public ColumnValue toColumnValue() {
    requireGiven();
    return value;
  }

  private void requireGiven() {
    if (isAuto()) {
      throw new IllegalStateException(
          "the server has not chosen this value yet; the result of the row has it");
    }
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
    requireGiven();
    return value.asLong();
  }

  /** The value of a STRING. */
  public String asString() {
    requireGiven();
    return value.asString();
  }

  /** A copy of the bytes of a BINARY. */
  public byte[] asBinary() {
    requireGiven();
    return value.asBinary();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PrimaryKeyValue that
        && isAuto == that.isAuto
        && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return Objects.hashCode(value);
  }

  @Override
  public String toString() {
    return isAuto ? "AUTO" : value.toString();
  }
}
