package io.tunnel.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Numbers in byte arrays. Fixed-width numbers are big-endian. A varint holds a number from 0 to
 * {@link Integer#MAX_VALUE} in 1 to 5 bytes, seven bits per byte, the lowest first; the high bit is
 * set on all bytes but the last.
 */
public final class Binary {

  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final long EVERY_LOWEST_BIT = 0x0101010101010101L;
  private static final long EVERY_HIGHEST_BIT = 0x8080808080808080L;

  private Binary() {}

  /** The unsigned byte at {@code offset}. */
  public static int getByte(byte[] array, int offset) {
    return array[offset] & 0xff;
  }

  /** The unsigned 16-bit number at {@code offset}. */
  public static int getShort(byte[] array, int offset) {
    return (short) SHORT.get(array, offset) & 0xffff;
  }

  /** The 32-bit number at {@code offset}. */
  public static int getInt(byte[] array, int offset) {
    return (int) INT.get(array, offset);
  }

  /** The 64-bit number at {@code offset}. */
  public static long getLong(byte[] array, int offset) {
    return (long) LONG.get(array, offset);
  }

  /** Writes the low 16 bits of {@code value}. */
  public static void putShort(byte[] array, int offset, int value) {
    SHORT.set(array, offset, (short) value);
  }

  /** Writes 4 bytes. */
  public static void putInt(byte[] array, int offset, int value) {
    INT.set(array, offset, value);
  }

  /** Writes 8 bytes. */
  public static void putLong(byte[] array, int offset, long value) {
    LONG.set(array, offset, value);
  }

  /** The first index of {@code wanted} between {@code from} and {@code to}; -1 if absent. */
  static int indexOf(byte wanted, byte[] array, int from, int to) {
    // Eight bytes at a time: x is zero in every byte that equals wanted.
    long pattern = EVERY_LOWEST_BIT * (wanted & 0xff);
    int at = from;
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      long zeros = zeroBytes(getLong(array, at) ^ pattern);
      if (zeros != 0) {
        return at + firstByte(zeros);
      }
    }
    for (; at < to; at++) {
      if (array[at] == wanted) {
        return at;
      }
    }
    return -1;
  }

  /**
   * The index of the first byte between {@code from} and {@code to} that is zero or not ASCII; -1
   * if absent.
   */
  static int asciiEnd(byte[] array, int from, int to) {
    int at = from;
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      long x = getLong(array, at);
      long ends = zeroBytes(x) | (x & EVERY_HIGHEST_BIT);
      if (ends != 0) {
        return at + firstByte(ends);
      }
    }
    for (; at < to; at++) {
      if (array[at] <= 0) {
        return at;
      }
    }
    return -1;
  }

  /** The highest bit of exactly the bytes of {@code x} that are zero. */
  private static long zeroBytes(long x) {
    // No sum carries into the next byte; a sum lacks its highest bit only for 0x00 and 0x80.
    return ~((x & ~EVERY_HIGHEST_BIT) + ~EVERY_HIGHEST_BIT | x) & EVERY_HIGHEST_BIT;
  }

  /** The index, in the order of the array, of the first byte with its highest bit set. */
  private static int firstByte(long highestBits) {
    return Long.numberOfLeadingZeros(highestBits) / Byte.SIZE;
  }

  /**
   * The varint at {@code offset} and the offset after it, packed so that the hot path allocates
   * nothing: the value in the low 32 bits, the next offset in the high 32. Reads no byte at or
   * beyond {@code limit}.
   */
  public static long getVarint(byte[] array, int offset, int limit) {
    if (offset < limit) {
      byte first = array[offset];
      if (first >= 0) {
        return (long) (offset + 1) << 32 | first;
      }
      // Most lengths of rows and texts take two bytes.
      if (offset + 1 < limit && array[offset + 1] > 0) {
        return (long) (offset + 2) << 32 | array[offset + 1] << 7 | (first & 0x7f);
      }
    }
    return getLongVarint(array, offset, limit);
  }

  private static long getLongVarint(byte[] array, int start, int limit) {
    int value = 0;
    int offset = start;
    for (int shift = 0; shift < 35; shift += 7) {
      if (offset >= limit) {
        throw new MalformedException("a number at byte " + start + " runs over the end");
      }
      byte next = array[offset++];
      if (shift == 28 && (next & 0xf8) != 0) {
        break;
      }
      value |= (next & 0x7f) << shift;
      if (next >= 0) {
        if (next == 0 && shift > 0) {
          throw new MalformedException("a number at byte " + start + " is padded with zero bits");
        }
        return (long) offset << 32 | value;
      }
    }
    throw new MalformedException("a number at byte " + start + " is over 2^31-1");
  }

  /** The value in a result of {@link #getVarint}. */
  public static int value(long varint) {
    return (int) varint;
  }

  /** The offset after the number in a result of {@link #getVarint}. */
  public static int next(long varint) {
    return (int) (varint >>> 32);
  }

  /** Bytes that {@code value} takes as a varint. */
  public static int varintBytes(int value) {
    return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : value < 1 << 28 ? 4 : 5;
  }

  /** Writes {@code value} as a varint and returns the offset after it. */
  public static int putVarint(byte[] array, int offset, int value) {
    int rest = value;
    int at = offset;
    while (rest > 0x7f) {
      array[at++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    array[at++] = (byte) rest;
    return at;
  }
}
