package io.tunnel.model.value;

import java.util.Arrays;
import java.util.HexFormat;

/** Immutable bytes, ordered lexicographically as unsigned numbers. */
public final class Bytes implements Comparable<Bytes> {

  /** No bytes. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** A copy of {@code array}. */
  public static Bytes copyOf(byte[] array) {
    return copyOf(array, 0, array.length);
  }

  /** A copy of {@code length} bytes of {@code array} from {@code offset}. */
  public static Bytes copyOf(byte[] array, int offset, int length) {
    return length == 0 ? EMPTY : new Bytes(Arrays.copyOfRange(array, offset, offset + length));
  }

  /** The bytes that {@code hex} spells, two lower- or upper-case digits a byte. */
  public static Bytes fromHex(String hex) {
    return new Bytes(HexFormat.of().parseHex(hex));
  }

  /** How many. */
  public int length() {
    return array.length;
  }

  /** The byte at {@code index}. */
  public byte at(int index) {
    return array[index];
  }

  /** A copy. */
  public byte[] toByteArray() {
    return array.clone();
  }

  /** Copies all bytes into {@code target} from {@code offset} on. */
  public void copyInto(byte[] target, int offset) {
    System.arraycopy(array, 0, target, offset, array.length);
  }

  /** Compares with {@code length} bytes of {@code other} from {@code offset}, without a copy. */
  public int compareTo(byte[] other, int offset, int length) {
    return Arrays.compareUnsigned(array, 0, array.length, other, offset, offset + length);
  }

  @Override
  public int compareTo(Bytes other) {
    return Arrays.compareUnsigned(array, other.array);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes bytes && Arrays.equals(array, bytes.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  /** Lower-case hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(array);
  }
}
