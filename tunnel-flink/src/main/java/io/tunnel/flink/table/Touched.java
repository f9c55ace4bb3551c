package io.tunnel.flink.table;

/**
 * Which fields of a layout an update of single columns touches, as a field of its row: a bit for
 * each, and one behind them for whether all is seen that its row ever was.
 */
final class Touched {

  private final int fields;
  private final byte[] bits;

  /** Nothing yet. */
  Touched(int fields, boolean isWhole) {
    this(fields, new byte[fields / 8 + 1]);
    if (isWhole) {
      add(fields);
    }
  }

  /** As {@link #toBytes} has it. */
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
