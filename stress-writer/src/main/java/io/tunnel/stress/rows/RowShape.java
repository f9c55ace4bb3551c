package io.tunnel.stress.rows;

import io.tunnel.model.Limits;

/**
 * What the attributes of a generated row look like: {@code attributes} STRING columns of {@code
 * valueBytes} ASCII characters each.
 */
public record RowShape(int attributes, int valueBytes) {

  /** Bytes of a generated row without its attributes, as it is encoded. */
  static final int BARE_ROW_BYTES = 49;

  /** Attributes that a generated row can have. */
  public static final int ATTRIBUTES_MAX = 64;

  /** Bytes that a generated value can have. */
  public static final int VALUE_BYTES_MAX = 64 * 1024;

  /** As in the performance whitepaper of the original service: about 220 bytes a row. */
  public static final RowShape WHITEPAPER = ofRowBytes(2, 220);

  /** Bytes of a column without the value: number of the name, type, length of the value. */
  private static final int COLUMN_BYTES = 3;

  /** Refuses shapes beyond the limits. */
  public RowShape {
    if (attributes < 1 || attributes > ATTRIBUTES_MAX) {
      throw new IllegalArgumentException(
          "a generated row has 1 to " + ATTRIBUTES_MAX + " attributes, not " + attributes);
    }
    if (valueBytes < 1 || valueBytes > VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "a generated value has 1 to " + VALUE_BYTES_MAX + " bytes, not " + valueBytes);
    }
    if ((long) attributes * valueBytes > Limits.ROW_BYTES_MAX / 2) {
      throw new IllegalArgumentException(
          attributes
              + " values of "
              + valueBytes
              + " bytes are over "
              + Limits.ROW_BYTES_MAX / 2
              + " bytes, the most that a generated row may have");
    }
  }

  /** {@code attributes} values of so many bytes. */
  public static RowShape ofValueBytes(int attributes, long valueBytes) {
    // Cut to the range of an int, what is over the limit stays over the limit.
    return new RowShape(attributes, (int) Math.min(Integer.MAX_VALUE, valueBytes));
  }

  /** The shape whose rows have about {@code rowBytes} bytes, key included. */
  public static RowShape ofRowBytes(int attributes, long rowBytes) {
    int bytesMin = BARE_ROW_BYTES + attributes * (COLUMN_BYTES + 1);
    if (rowBytes < bytesMin) {
      throw new IllegalArgumentException(
          "a generated row of "
              + attributes
              + " attributes has at least "
              + bytesMin
              + " bytes, not "
              + rowBytes);
    }
    return ofValueBytes(
        attributes, (rowBytes - BARE_ROW_BYTES) / Math.max(1, attributes) - COLUMN_BYTES);
  }
}
