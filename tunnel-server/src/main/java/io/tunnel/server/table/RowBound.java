package io.tunnel.server.table;

/**
 * What no stored row of a partition exceeds.
 *
 * @param bytes of a row's stored value
 * @param columns of a row
 */
public record RowBound(long bytes, int columns) {

  /** Of a partition about whose rows nothing is known. */
  public static final RowBound UNKNOWN = new RowBound(Long.MAX_VALUE / 2, Integer.MAX_VALUE);

  /** Of a partition without rows. */
  static final RowBound NONE = new RowBound(0, 0);

  boolean holds(long rowBytes, int rowColumns) {
    return rowBytes <= bytes && rowColumns <= columns;
  }

  /** A bound that holds for such a row too, and for rows that are a little larger. */
  RowBound grown(long rowBytes, int rowColumns) {
    return new RowBound(
        Math.max(bytes, powerOfTwo(rowBytes)),
        Math.max(columns, Math.toIntExact(powerOfTwo(rowColumns))));
  }

  private static long powerOfTwo(long atLeast) {
    return atLeast <= 1 ? 1 : Long.highestOneBit(atLeast - 1) << 1;
  }
}
