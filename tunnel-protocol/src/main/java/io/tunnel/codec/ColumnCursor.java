package io.tunnel.codec;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.Limits;
import io.tunnel.model.value.BinaryValue;
import io.tunnel.model.value.Bytes;
import io.tunnel.model.value.ColumnType;
import io.tunnel.model.value.ColumnValue;

/**
 * Walks over the encoded columns of one row: a count, and per column the name index, type and
 * value.
 */
public final class ColumnCursor {

  private byte[] array;
  private int end;
  private int left;
  private int columnOffset;
  private int at;
  private int nameIndex;
  private int type;
  private int valueOffset;
  private int valueBytes;

  /** A cursor before the first column between {@code offset} and {@code end}. */
  public ColumnCursor(byte[] array, int offset, int end) {
    this.array = array;
    moveTo(array, offset, end);
  }

  /** A cursor at nothing, for {@link #moveToValue}. */
  ColumnCursor(byte[] array) {
    this.array = array;
  }

  /** Moves before the first column of another row; one cursor serves many rows. */
  public void moveTo(byte[] columns, int offset, int columnsEnd) {
    array = columns;
    end = columnsEnd;
    long count = Binary.getVarint(array, offset, end);
    left = Binary.value(count);
    at = Binary.next(count);
    if (left > Limits.ROW_COLUMNS_MAX) {
      throw new MalformedException(
          ErrorCode.ROW_TOO_LARGE,
          "a row of " + left + " columns; at most " + Limits.ROW_COLUMNS_MAX + " are allowed");
    }
  }

  /** Columns that {@link #next} has not reached yet. */
  public int left() {
    return left;
  }

  /**
   * Moves to the next column; false after the last.
   *
   * @throws MalformedException when the column is cut off or has an unknown type, or bytes follow
   *     the last column
   */
  public boolean next() {
    if (left == 0) {
      if (at != end) {
        throw new MalformedException((end - at) + " bytes after a row's last column");
      }
      return false;
    }
    left--;
    columnOffset = at;
    long name = Binary.getVarint(array, at, end);
    nameIndex = Binary.value(name);
    readValue(Binary.next(name));
    return true;
  }

  /**
   * Moves to a type and a value that stand alone, without a count and a name, between {@code
   * offset} and {@code valueEnd}. No column follows.
   *
   * @throws MalformedException when the value is cut off or has an unknown type
   */
  public void moveToValue(byte[] value, int offset, int valueEnd) {
    array = value;
    end = valueEnd;
    left = 0;
    readValue(offset);
  }

  private void readValue(int typeAt) {
    if (typeAt >= end) {
      throw new MalformedException("a column's type is cut off");
    }
    type = array[typeAt];
    at = typeAt + 1;
    sizeValue();
    if (valueBytes > end - valueOffset) {
      throw new MalformedException(
          "a value of " + valueBytes + " bytes where " + (end - valueOffset) + " are left");
    }
    at = valueOffset + valueBytes;
  }

  private void sizeValue() {
    valueOffset = at;
    switch (type) {
      case BatchLayout.TYPE_INTEGER, BatchLayout.TYPE_DOUBLE -> valueBytes = 8;
      case BatchLayout.TYPE_BOOLEAN -> valueBytes = 1;
      case BatchLayout.TYPE_DELETE_COLUMN -> valueBytes = 0;
      case BatchLayout.TYPE_STRING, BatchLayout.TYPE_BINARY -> {
        long length = Binary.getVarint(array, at, end);
        valueOffset = Binary.next(length);
        valueBytes = Binary.value(length);
        if (valueBytes > Limits.VALUE_BYTES_MAX) {
          throw new MalformedException(
              ErrorCode.ROW_TOO_LARGE,
              "a value of "
                  + valueBytes
                  + " bytes; at most "
                  + Limits.VALUE_BYTES_MAX
                  + " are allowed");
        }
      }
      default -> throw new MalformedException("a column of unknown type " + type);
    }
  }

  /** Index of the column's name in the dictionary. */
  public int nameIndex() {
    return nameIndex;
  }

  /** Whether an update removes the column, which then has no value. */
  public boolean isDelete() {
    return isRemoval(type);
  }

  /** Whether a column whose type is {@code type} is one that an update removes. */
  public static boolean isRemoval(int type) {
    return type == BatchLayout.TYPE_DELETE_COLUMN;
  }

  /**
   * The offset of the column's type: the bytes from here to {@link #columnEnd} do not depend on the
   * name.
   */
  public int typeOffset() {
    return columnOffset + Binary.varintBytes(nameIndex);
  }

  /** The offset after the column. */
  public int columnEnd() {
    return at;
  }

  /** The type of the value; an {@link IllegalStateException} for a column that is removed. */
  public ColumnType type() {
    return switch (type) {
      case BatchLayout.TYPE_INTEGER -> ColumnType.INTEGER;
      case BatchLayout.TYPE_DOUBLE -> ColumnType.DOUBLE;
      case BatchLayout.TYPE_BOOLEAN -> ColumnType.BOOLEAN;
      case BatchLayout.TYPE_STRING -> ColumnType.STRING;
      case BatchLayout.TYPE_BINARY -> ColumnType.BINARY;
      default -> throw new IllegalStateException("a removed column has no type");
    };
  }

  /**
   * The offset of the value, which ends at {@link #columnEnd}: 8 bytes of an INTEGER, 8 bytes of a
   * DOUBLE's bits, a byte of a BOOLEAN, UTF-8, or bytes.
   */
  public int valueOffset() {
    return valueOffset;
  }

  /** Whether the column is the INTEGER 0. */
  boolean isZero() {
    return type == BatchLayout.TYPE_INTEGER && Binary.getLong(array, valueOffset) == 0;
  }

  /** Replaces the value of an INTEGER in the array, whose checksum does not match any more. */
  public void setInteger(long value) {
    if (type != BatchLayout.TYPE_INTEGER) {
      throw new IllegalStateException("a column of type " + type + " is no INTEGER");
    }
    Binary.putLong(array, valueOffset, value);
  }

  /** Throws {@link MalformedException} unless the value is valid for its type. */
  public void requireValue() {
    if (type == BatchLayout.TYPE_STRING) {
      Utf8.require(array, valueOffset, valueBytes);
    } else if (type == BatchLayout.TYPE_BOOLEAN && (array[valueOffset] & ~1) != 0) {
      throw new MalformedException("a BOOLEAN of " + array[valueOffset]);
    }
  }

  /** The value, decoded; an {@link IllegalStateException} for a column that an update removes. */
  public ColumnValue value() {
    return switch (type) {
      case BatchLayout.TYPE_INTEGER -> ColumnValue.fromLong(Binary.getLong(array, valueOffset));
      case BatchLayout.TYPE_DOUBLE ->
          ColumnValue.fromDouble(Double.longBitsToDouble(Binary.getLong(array, valueOffset)));
      case BatchLayout.TYPE_BOOLEAN -> ColumnValue.fromBoolean(array[valueOffset] != 0);
      case BatchLayout.TYPE_STRING ->
          ColumnValue.fromString(Utf8.decode(array, valueOffset, valueBytes));
      case BatchLayout.TYPE_BINARY -> new BinaryValue(Bytes.copyOf(array, valueOffset, valueBytes));
      default -> throw new IllegalStateException("a removed column has no value");
    };
  }
}
