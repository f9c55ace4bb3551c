package io.tunnel.flink.table;

/**
 * The fields of a layout that an update touches, stored as a field of the row: one bit per field,
 * and a last bit for {@code isWhole}.
 */
final class Touched {

  private final int fields;
  private final byte[] bits;

  /** No touched field yet. */
  Touched(int fields, boolean isWhole) {
    this(fields, new byte[fields / 8 + 1]);
    if (isWhole) {
      add(fields);
    }
  }

  /** Reads the bits of {@link #toBytes}. */
  Touched(int fields, byte[] bits) {
    this.fields = fields;
    this.bits = bits;
  }

  void add(int field) {
    bits[field / 8] |= (byte) (1 << (field % 8));
  }

  boolean has(int field) {
    return (bits[field / 8] & (1 << (field % 8))) != 0;
  }

  boolean isWhole() {
    return has(fields);
  }

  byte[] toBytes() {
    return bits;
  }
}
