package io.tunnel.codec;

import java.util.BitSet;

/**
 * The names that a row has used so far, as dictionary indexes. Rows rarely go beyond the first 64.
 */
final class NameSet {

  private long low;
  private BitSet high;

  /** Adds {@code index}; false when already present. */
  boolean add(int index) {
    if (index < Long.SIZE) {
      long bit = 1L << index;
      boolean added = (low & bit) == 0;
      low |= bit;
      return added;
    }
    if (high == null) {
      high = new BitSet();
    }
    boolean added = !high.get(index);
    high.set(index);
    return added;
  }

  boolean isNew(int index) {
    return index < Long.SIZE ? (low & 1L << index) == 0 : high == null || !high.get(index);
  }

  void clear() {
    low = 0;
    if (high != null) {
      high.clear();
    }
  }
}
