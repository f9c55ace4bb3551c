package io.tunnel.server.table;

import io.tunnel.codec.ChangeBatch;
import io.tunnel.codec.RowCursor;
import java.util.Arrays;

/**
 * Sorts the rows of batches of a partition by key, because RocksDB inserts neighbours two to three
 * times as fast as distant keys. Rows with equal keys keep the order of their batches. A row is one
 * long: 40 bits of its key, taken after the prefix common to all keys, and 24 bits of its number.
 * So a sort of primitives does most of the work; rows with equal 40 bits are compared by their
 * complete keys.
 */
final class KeyRuns {

  private static final int PREFIX_BYTES = 5;
  private static final int NUMBER_BITS = 24;
  private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;

  private RowCursor[] cursors = new RowCursor[8];
  private int[] dictionaries = new int[8];
  private int batchCount;

  private long[] order = new long[1024];
  private int[] batches = new int[1024];
  private int[] rowOffsets = new int[1024];
  private int[] keyOffsets = new int[1024];
  private int[] keyLengths = new int[1024];
  private int count;

  void clear() {
    // Batches are not kept longer than they have to be.
    Arrays.fill(cursors, 0, batchCount, null);
    batchCount = 0;
    count = 0;
  }

  /** Adds the rows of a batch after those that were added; 16 million are taken at most. */
  void add(ChangeBatch batch, int dictionary) {
    if (batchCount == cursors.length) {
      cursors = Arrays.copyOf(cursors, batchCount * 2);
      dictionaries = Arrays.copyOf(dictionaries, batchCount * 2);
    }
    RowCursor row = batch.rows();
    while (row.next()) {
      add(row);
    }
    cursors[batchCount] = batch.rows();
    dictionaries[batchCount++] = dictionary;
  }

  private void add(RowCursor row) {
    if (count == rowOffsets.length) {
      grow();
    }
    batches[count] = batchCount;
    rowOffsets[count] = row.rowOffset();
    keyOffsets[count] = row.keyOffset();
    keyLengths[count] = row.keyBytes();
    count++;
  }

  private void grow() {
    if (count > NUMBER_MASK) {
      throw new IllegalStateException(count + " rows are too many for one fold");
    }
    int room = Math.min(count * 2, NUMBER_MASK + 1);
    order = Arrays.copyOf(order, room);
    batches = Arrays.copyOf(batches, room);
    rowOffsets = Arrays.copyOf(rowOffsets, room);
    keyOffsets = Arrays.copyOf(keyOffsets, room);
    keyLengths = Arrays.copyOf(keyLengths, room);
  }

  int count() {
    return count;
  }

  /** Orders what was added. */
  void sort() {
    int shared = sharedBytes();
    for (int i = 0; i < count; i++) {
      order[i] = (prefix(i, shared) << NUMBER_BITS | i) ^ Long.MIN_VALUE;
    }
    Arrays.sort(order, 0, count);
    for (int from = 0; from < count; ) {
      int end = from + 1;
      while (end < count && order[end] >>> NUMBER_BITS == order[from] >>> NUMBER_BITS) {
        end++;
      }
      if (end - from > 1) {
        compareWhole(from, end);
      }
      from = end;
    }
  }

  /** Orders rows whose prefixes are alike. */
  private void compareWhole(int from, int end) {
    Long[] alike = new Long[end - from];
    for (int i = from; i < end; i++) {
      alike[i - from] = order[i];
    }
    // A stable sort: rows of the same key stay in the order of their numbers.
    Arrays.sort(alike, (a, b) -> compareKeys(number(a), number(b)));
    for (int i = from; i < end; i++) {
      order[i] = alike[i - from];
    }
  }

  private static int number(long ordered) {
    return (int) ordered & NUMBER_MASK;
  }

  private byte[] array(int number) {
    return cursors[batches[number]].batch().array();
  }

  private int compareKeys(int a, int b) {
    return Arrays.compareUnsigned(
        array(a),
        keyOffsets[a],
        keyOffsets[a] + keyLengths[a],
        array(b),
        keyOffsets[b],
        keyOffsets[b] + keyLengths[b]);
  }

  private int sharedBytes() {
    int shared = keyLengths[0];
    for (int i = 1; i < count && shared > 0; i++) {
      int at = keyOffsets[i];
      int mismatch =
          Arrays.mismatch(
              array(0),
              keyOffsets[0],
              keyOffsets[0] + shared,
              array(i),
              at,
              at + Math.min(shared, keyLengths[i]));
      shared = mismatch < 0 ? shared : mismatch;
    }
    return shared;
  }

  private long prefix(int i, int shared) {
    byte[] array = array(i);
    long prefix = 0;
    for (int b = shared; b < shared + PREFIX_BYTES; b++) {
      prefix = prefix << 8 | (b < keyLengths[i] ? array[keyOffsets[i] + b] & 0xff : 0);
    }
    return prefix;
  }

  /** Where the run of equal keys ends that begins with the row at {@code from} of the order. */
  int endOfRun(int from) {
    int end = from + 1;
    while (end < count && compareKeys(number(order[from]), number(order[end])) == 0) {
      end++;
    }
    return end;
  }

  /** A cursor at the row at {@code i} of the order; the next call moves it. */
  RowCursor row(int i) {
    int number = number(order[i]);
    RowCursor row = cursors[batches[number]];
    row.moveTo(rowOffsets[number]);
    return row;
  }

  /** The dictionary's id that the row's batch has in the store. */
  int dictionary(int i) {
    return dictionaries[batches[number(order[i])]];
  }
}
