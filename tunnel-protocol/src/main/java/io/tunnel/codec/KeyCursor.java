package io.tunnel.codec;

import io.tunnel.model.value.ColumnType;

/**
 * Walks over the columns of encoded keys; shows values as offsets into the key's array. One cursor
 * serves many keys. Not thread-safe.
 */
public final class KeyCursor {

  /** The byte after a 0x00 of a text says that the 0x00 is a part of the text. */
  public static final int ESCAPED_ZERO_BYTES = 2;

  private byte[] array = new byte[0];
  private int end;
  private int at;
  private int valueOffset;
  private int valueEnd;
  private boolean isEscaped;
  private ColumnType type = ColumnType.INTEGER;

  /** A cursor without a key. */
  public KeyCursor() {}

  /** Moves before the first column of a key. */
  public void moveTo(byte[] key, int offset, int bytes) {
    array = key;
    at = offset;
    end = offset + bytes;
  }

  /**
   * Moves to the next column; false after the last.
   *
   * @throws MalformedException when the column is cut off or has an unknown type
   */
  public boolean next() {
    if (at >= end) {
      return false;
    }
    int tag = array[at];
    valueOffset = at + 1;
    switch (tag) {
      case KeyCodec.INTEGER_TAG -> {
        if (end - valueOffset < Long.BYTES) {
          throw new MalformedException("an INTEGER key column runs over the key's end");
        }
        type = ColumnType.INTEGER;
        valueEnd = valueOffset + Long.BYTES;
        isEscaped = false;
        at = valueEnd;
      }
      case KeyCodec.STRING_TAG, KeyCodec.BINARY_TAG -> {
        type = tag == KeyCodec.STRING_TAG ? ColumnType.STRING : ColumnType.BINARY;
        valueEnd = KeyCodec.closingZero(array, valueOffset, end);
        isEscaped = KeyCodec.escapes(array, valueOffset, valueEnd) > 0;
        at = valueEnd + 1;
      }
      default -> throw new MalformedException("a key column of unknown tag " + tag);
    }
    return true;
  }

  /** INTEGER, STRING or BINARY. */
  public ColumnType type() {
    return type;
  }

  /** The value of an INTEGER. */
  public long integer() {
    return Binary.getLong(array, valueOffset) ^ Long.MIN_VALUE;
  }

  /** The offset of a STRING or BINARY. */
  public int valueOffset() {
    return valueOffset;
  }

  /** The offset after a STRING or BINARY. */
  public int valueEnd() {
    return valueEnd;
  }

  /** Whether each 0x00 of a STRING or BINARY is followed by a byte that is not of the value. */
  public boolean isEscaped() {
    return isEscaped;
  }
}
