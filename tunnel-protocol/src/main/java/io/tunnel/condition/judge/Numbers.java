package io.tunnel.condition.judge;

import io.tunnel.model.value.ColumnType;

/** Compares numbers by their exact values. */
final class Numbers {

  /** The sides do not compare. */
  static final int UNORDERED = 2;

  /** The least double that no long reaches. */
  private static final double TWO_TO_63 = 0x1p63;

  private Numbers() {}

  /** Values of different types: numbers compare, nothing else does. */
  static int compareMixed(ColumnType leftType, long left, ColumnType rightType, long right) {
    if (leftType == ColumnType.INTEGER && rightType == ColumnType.DOUBLE) {
      return compare(left, Double.longBitsToDouble(right));
    }
    if (leftType == ColumnType.DOUBLE && rightType == ColumnType.INTEGER) {
      int reversed = compare(right, Double.longBitsToDouble(left));
      return reversed == UNORDERED ? UNORDERED : -reversed;
    }
    return UNORDERED;
  }

  /** Zeros are equal; NaN does not compare. */
  static int compare(double left, double right) {
    return left < right ? -1 : left > right ? 1 : left == right ? 0 : UNORDERED;
  }

  /**
   * An INTEGER with a DOUBLE. Between -2^63 and 2^63 the whole part of a double is a long without
   * loss, and what is cut off decides only where the whole parts are equal.
   */
  static int compare(long left, double right) {
    if (Double.isNaN(right)) {
      return UNORDERED;
    }
    if (right >= TWO_TO_63) {
      return -1;
    }
    if (right < -TWO_TO_63) {
      return 1;
    }
    long whole = (long) right;
    if (left != whole) {
      return left < whole ? -1 : 1;
    }
    double cutOff = right - whole;
    return cutOff > 0 ? -1 : cutOff < 0 ? 1 : 0;
  }
}
