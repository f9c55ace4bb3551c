package io.tunnel.server.partition.judge;

import io.tunnel.codec.Binary;
import io.tunnel.codec.ByteSink;
import io.tunnel.codec.Dictionary;
import io.tunnel.model.Limits;
import io.tunnel.model.value.Bytes;
import java.util.Map;
import java.util.TreeMap;

/**
 * What no row of one partition exceeds: all columns that its changes ever named, each with the
 * largest of its values, rounded up to a power of two. And the largest number that the AUTO column
 * of the keys ever had.
 *
 * <p>Stored as {@code u8} flags: 1 when nothing is known of the sizes of the rows, 2 when an {@code
 * i64} number follows the flags. After these, when the sizes are known, come the number of columns
 * as a varint, a {@code u8} power of two for each, and their names as a batch has them.
 */
final class RowBound {

  private static final int UNKNOWN = 1;
  private static final int NUMBERED = 2;

  /** The longest key: escapes may double each byte, and a terminator closes each column. */
  private static final int KEY_BYTES_MAX =
      Limits.KEY_COLUMNS_MAX * (2 * Limits.KEY_COLUMN_BYTES_MAX + 4);

  private static final long UNKNOWN_BYTES = Long.MAX_VALUE / 2;

  /** Powers of two, by the name of the column. */
  private final Map<String, Integer> powerByColumn = new TreeMap<>();

  /** False when nothing is known of the rows; then no column is named. It never turns true. */
  private boolean isKnown;

  /** The sum of all columns; it never falls. */
  private long columnBytes;

  /** The largest number of the AUTO column in the log or about to enter it; it never falls. */
  private long number;

  private RowBound(boolean isKnown) {
    this.isKnown = isKnown;
  }

  /** Of a partition without rows. */
  static RowBound none() {
    return new RowBound(true);
  }

  /** Of a partition about whose rows nothing is known. */
  static RowBound unknown() {
    return new RowBound(false);
  }

  static RowBound decode(Bytes stored) {
    byte[] array = stored.toByteArray();
    boolean isNumbered = (array[0] & NUMBERED) != 0;
    RowBound bound = new RowBound((array[0] & UNKNOWN) == 0);
    bound.number = isNumbered ? Binary.getLong(array, 1) : 0;
    if (!bound.isKnown) {
      return bound;
    }
    long count = Binary.getVarint(array, isNumbered ? 1 + Long.BYTES : 1, array.length);
    int powers = Binary.next(count);
    int names = powers + Binary.value(count);
    for (String name : Dictionary.decode(array, names, array.length, Binary.value(count))) {
      bound.raise(name, array[powers++]);
    }
    return bound;
  }

  Bytes encode() {
    ByteSink sink = new ByteSink(128);
    sink.writeByte((isKnown ? 0 : UNKNOWN) | (number > 0 ? NUMBERED : 0));
    if (number > 0) {
      sink.writeLong(number);
    }
    if (isKnown) {
      sink.writeVarint(powerByColumn.size());
      powerByColumn.values().forEach(sink::writeByte);
      byte[] names = Dictionary.encode(powerByColumn.keySet().toArray(new String[0]));
      sink.write(names, 0, names.length);
    }
    return Bytes.copyOf(sink.toByteArray());
  }

  /** The largest number of the AUTO column; 0 before the first. */
  long number() {
    return number;
  }

  /** The AUTO column has a number; returns whether the bound is another now. */
  boolean sawNumber(long seen) {
    boolean isLarger = seen > number;
    number = Math.max(number, seen);
    return isLarger;
  }

  /** Columns that no row has more of. */
  int columns() {
    return isKnown ? powerByColumn.size() : Integer.MAX_VALUE;
  }

  /** Bytes that the types and values of no row exceed together. */
  long bytes() {
    return isKnown ? columnBytes : UNKNOWN_BYTES;
  }

  /** Whether every row that columns of those sizes make is one of a legal size. */
  boolean isLegal() {
    return RowSize.isLegal(columns(), KEY_BYTES_MAX + bytes());
  }

  /**
   * A column came whose type and value have so many bytes; returns whether the bound is another
   * now. One above the largest row is not raised any more: it says nothing.
   */
  boolean saw(String name, int bytes) {
    int power = powerOfTwo(bytes);
    if (!isLegal() || powerByColumn.getOrDefault(name, -1) >= power) {
      return false;
    }
    raise(name, power);
    if (!isLegal()) {
      powerByColumn.clear();
      columnBytes = 0;
      isKnown = false;
    }
    return true;
  }

  private void raise(String name, int power) {
    Integer before = powerByColumn.put(name, power);
    columnBytes += (1L << power) - (before == null ? 0 : 1L << before);
  }

  private static int powerOfTwo(int atLeast) {
    return atLeast <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(atLeast - 1);
  }
}
