package io.tunnel.codec;

import io.tunnel.model.value.Bytes;
import java.util.Arrays;

/**
 * A byte array that grows as it is written. Numbers are written as {@link Binary} reads them. Not
 * thread-safe.
 */
public final class ByteSink {

  /**
   * The array length that every virtual machine can allocate, according to the JDK's own classes.
   */
  static final int BYTES_MAX = Integer.MAX_VALUE - 8;

  private byte[] array;
  private int size;

  /** An empty sink with space for {@code bytes} before it grows. */
  public ByteSink(int bytes) {
    array = new byte[Math.max(16, bytes)];
  }

  /** Bytes written. */
  public int size() {
    return size;
  }

  /** The bytes themselves, valid up to {@link #size()} and until the next write: not a copy. */
  public byte[] array() {
    return array;
  }

  /** Forgets everything from {@code newSize} on. */
  public void truncate(int newSize) {
    if (newSize < 0 || newSize > size) {
      throw new IllegalArgumentException("truncate to " + newSize + " of " + size);
    }
    size = newSize;
  }

  /** Leaves {@code bytes} bytes open to fill in later; returns the offset of the first. */
  public int skip(int bytes) {
    ensure(bytes);
    int at = size;
    size += bytes;
    return at;
  }

  /**
   * Makes space for {@code bytes} more, so that callers may write into {@link #array()} and {@link
   * #skip} after.
   */
  public void ensure(int bytes) {
    if (array.length - size < bytes) {
      array = Arrays.copyOf(array, grown(array.length, (long) size + bytes));
    }
  }

  /** Doubles as long as an array can be twice as long. */
  static int grown(int bytes, long neededBytes) {
    if (neededBytes > BYTES_MAX) {
      throw new IllegalStateException(
          neededBytes + " bytes do not fit into one array, which has at most " + BYTES_MAX);
    }
    return (int) Math.max(neededBytes, Math.min(2L * bytes, BYTES_MAX));
  }

  /** Moves the bytes after {@code from} to {@code to}; adjusts the size. */
  void move(int from, int to) {
    int bytes = size - from;
    ensure(Math.max(0, to - from));
    System.arraycopy(array, from, array, to, bytes);
    size = to + bytes;
  }

  /** Writes the low 8 bits. */
  public void writeByte(int value) {
    ensure(1);
    array[size++] = (byte) value;
  }

  /** Writes the low 16 bits. */
  public void writeShort(int value) {
    int at = skip(2);
    Binary.putShort(array, at, value);
  }

  /** Writes 4 bytes. */
  public void writeInt(int value) {
    int at = skip(4);
    Binary.putInt(array, at, value);
  }

  /** Writes 8 bytes. */
  public void writeLong(long value) {
    int at = skip(8);
    Binary.putLong(array, at, value);
  }

  /** Writes a varint. */
  public void writeVarint(int value) {
    ensure(5);
    size = Binary.putVarint(array, size, value);
  }

  /** Writes {@code length} bytes of {@code source}. */
  public void write(byte[] source, int offset, int length) {
    int at = skip(length);
    System.arraycopy(source, offset, array, at, length);
  }

  /** Writes all bytes. */
  public void write(Bytes source) {
    int at = skip(source.length());
    source.copyInto(array, at);
  }

  /** A copy of what was written. */
  public byte[] toByteArray() {
    return Arrays.copyOf(array, size);
  }
}
