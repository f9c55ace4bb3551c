package io.tunnel.server.table;

import io.tunnel.codec.MalformedException;
import java.util.Arrays;

/**
 * What a store has of a partition: six ranges of keys, in the order of the keys. Alongside them,
 * the state of a replica belongs to the partition; the state speaks of one node alone.
 */
public enum KeyRange {
  /** What no row of the partition exceeds, and the greatest AUTO number; one entry at most. */
  BOUND(StoreFormat.BOUND_KIND, 0, 0),
  /** Names of columns, by a {@code u32} id. */
  DICTIONARY(StoreFormat.DICTIONARY_KIND, 4, 4),
  /** The last idempotent writes of writers. */
  WRITER(StoreFormat.WRITER_KIND, 0, 24),
  /** Rows that may expire, by time and key; no values. */
  EXPIRY(StoreFormat.EXPIRY_KIND, 8, Integer.MAX_VALUE),
  /** Sessions of bound rows, by the keys of the rows. */
  SESSION(StoreFormat.SESSION_KIND, 0, Integer.MAX_VALUE),
  /** Rows, by their keys. */
  ROW(16, 0, Integer.MAX_VALUE);

  private static final KeyRange[] RANGES = values();
  private static final int SESSION_BYTES = 8;

  private final int number;
  private final int keyBytesMin;
  private final int keyBytesMax;

  KeyRange(int number, int keyBytesMin, int keyBytesMax) {
    this.number = number;
    this.keyBytesMin = keyBytesMin;
    this.keyBytesMax = keyBytesMax;
  }

  /** The number in stored bytes, which never changes; numbers rise in the order of the ranges. */
  public int number() {
    return number;
  }

  /**
   * The range with that number.
   *
   * @throws MalformedException when there is none
   */
  public static KeyRange of(int number) {
    for (KeyRange range : RANGES) {
      if (range.number == number) {
        return range;
      }
    }
    throw new MalformedException("an entry of the unknown range " + number);
  }

  /**
   * Refuses an entry that no store has in this range.
   *
   * @param keyBytes of the key after {@link #first}
   */
  public void requireEntry(int keyBytes, int valueBytes) {
    if (keyBytes < keyBytesMin || keyBytes > keyBytesMax) {
      throw new MalformedException("a key of " + keyBytes + " bytes in the range " + this);
    }
    boolean isRight =
        switch (this) {
          case EXPIRY -> valueBytes == 0;
          case SESSION -> valueBytes == SESSION_BYTES;
          case BOUND, DICTIONARY, WRITER, ROW -> valueBytes > 0;
        };
    if (!isRight) {
      throw new MalformedException("a value of " + valueBytes + " bytes in the range " + this);
    }
  }

  /** What the keys of the range begin with; no key of the range is before. */
  byte[] first(int partition) {
    return switch (this) {
      case BOUND -> StoreFormat.boundKey(partition);
      case DICTIONARY -> StoreFormat.dictionariesOf(partition);
      case WRITER -> StoreFormat.writersOf(partition);
      case EXPIRY -> StoreFormat.expiriesOf(partition);
      case SESSION -> StoreFormat.sessionsOf(partition);
      case ROW -> StoreFormat.partitionKey(partition);
    };
  }

  /** All keys of the range are before. */
  byte[] end(int partition) {
    return first(partition + 1);
  }

  /** The key of an entry, from its bytes after {@link #first}. */
  byte[] key(byte[] first, byte[] array, int offset, int length) {
    byte[] key = Arrays.copyOf(first, first.length + length);
    System.arraycopy(array, offset, key, first.length, length);
    return key;
  }
}
