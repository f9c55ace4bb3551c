package io.tunnel.bench.fold;

import io.tunnel.codec.Binary;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Rows of about 220 bytes, as the whitepaper's, whose keys nobody has had before: a partition, a
 * hash, and letters. A row is known by its hash; from one seed come the same rows.
 */
final class FoldedRows {

  static final int KEY_BYTES = 68;
  static final int VALUE_BYTES = 150;

  private static final int HASH_OFFSET = 4;
  private static final int LETTERS_OFFSET = HASH_OFFSET + Long.BYTES;
  private static final byte[] LETTERS = letters();

  private final SplittableRandom random = new SplittableRandom(7);

  private static byte[] letters() {
    byte[] letters = new byte[64 * 1024];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < letters.length; i++) {
      letters[i] = (byte) ('a' + random.nextInt(26));
    }
    return letters;
  }

  /** Hashes of so many rows of a partition, in the order of their keys. */
  long[] next(int count) {
    long[] hashes = new long[count];
    for (int i = 0; i < count; i++) {
      hashes[i] = random.nextLong() & Long.MAX_VALUE;
    }
    Arrays.sort(hashes);
    return hashes;
  }

  static void writeKey(int partition, long hash, byte[] target, int offset) {
    Binary.putInt(target, offset, partition);
    Binary.putLong(target, offset + HASH_OFFSET, hash);
    System.arraycopy(
        LETTERS, at(hash), target, offset + LETTERS_OFFSET, KEY_BYTES - LETTERS_OFFSET);
  }

  static void writeValue(long hash, byte[] target, int offset) {
    System.arraycopy(LETTERS, at(hash >>> 20), target, offset, VALUE_BYTES);
  }

  private static int at(long hash) {
    return (int) (hash & 0x7fff);
  }
}
