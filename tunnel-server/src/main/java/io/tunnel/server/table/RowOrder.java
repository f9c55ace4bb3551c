package io.tunnel.server.table;

import io.tunnel.codec.RowCursor;
import java.util.Arrays;

/**
 * The order in which a batch's rows are folded: nearly by key, because RocksDB inserts neighbours
 * two to three times as fast as strangers. A row is one long, 48 bits of its key behind what all
 * keys share and 16 bits of its index, so that a sort of primitives does it; rows of the same key
 * stay in the order of their positions.
 */
final class RowOrder {

  private static final int PREFIX_BYTES = 6;
  private static final int INDEX_BITS = 16;

  private long[] order = new long[1024];
  private int[] rowOffsets = new int[1024];
  private int[] keyOffsets = new int[1024];
  private int[] keyLengths = new int[1024];
  private int count;

  void clear() {
    count = 0;
  }

  void add(RowCursor row) {
    if (count == rowOffsets.length) {
      rowOffsets = Arrays.copyOf(rowOffsets, count * 2);
      keyOffsets = Arrays.copyOf(keyOffsets, count * 2);
      keyLengths = Arrays.copyOf(keyLengths, count * 2);
      order = Arrays.copyOf(order, count * 2);
    }
    rowOffsets[count] = row.rowOffset();
    keyOffsets[count] = row.keyOffset();
    keyLengths[count] = row.keyBytes();
    count++;
  }

  int count() {
    return count;
  }

  void sort(byte[] array) {
    int shared = sharedBytes(array);
    for (int i = 0; i < count; i++) {
      order[i] = (prefix(array, i, shared) << INDEX_BITS | i) ^ Long.MIN_VALUE;
    }
    Arrays.sort(order, 0, count);
  }

  /** Offset of the row that is folded {@code i}-th. */
  int rowOffset(int i) {
    return rowOffsets[(int) order[i] & (1 << INDEX_BITS) - 1];
  }

  private int sharedBytes(byte[] array) {
    int first = keyOffsets[0];
    int shared = keyLengths[0];
    for (int i = 1; i < count && shared > 0; i++) {
      int at = keyOffsets[i];
      int mismatch =
          Arrays.mismatch(
              array, first, first + shared, array, at, at + Math.min(shared, keyLengths[i]));
      shared = mismatch < 0 ? shared : mismatch;
    }
    return shared;
  }

  private long prefix(byte[] array, int i, int shared) {
    long prefix = 0;
    for (int b = shared; b < shared + PREFIX_BYTES; b++) {
      prefix = prefix << 8 | (b < keyLengths[i] ? array[keyOffsets[i] + b] & 0xff : 0);
    }
    return prefix;
  }
}
