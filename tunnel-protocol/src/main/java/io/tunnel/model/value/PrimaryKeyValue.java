package io.tunnel.model.value;

/** A value that may stand in a primary key: INTEGER, STRING or BINARY. */
public sealed interface PrimaryKeyValue extends ColumnValue
    permits IntegerValue, StringValue, BinaryValue {

  /** The type as a key's type. */
  PrimaryKeyType keyType();

  /** An INTEGER. */
  static PrimaryKeyValue fromLong(long value) {
    return new IntegerValue(value);
  }

  /** A STRING. */
  static PrimaryKeyValue fromString(String value) {
    return new StringValue(value);
  }

  /** A BINARY; the bytes are copied. */
  static PrimaryKeyValue fromBinary(byte[] value) {
    return new BinaryValue(Bytes.copyOf(value));
  }
}
