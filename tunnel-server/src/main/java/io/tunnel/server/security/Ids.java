package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Ids of keys, tokens and permissions: a prefix and 80 bits in base 32. */
final class Ids {

  /** Bytes that make an id. */
  static final int RANDOM_BYTES = 10;

  private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
  private static final int CHARS = 16;
  private static final int CHAR_BITS = 5;

  private Ids() {}

  /** The id that {@link #RANDOM_BYTES} bytes make. */
  static String of(String prefix, Bytes random) {
    if (random.length() != RANDOM_BYTES) {
      throw new IllegalArgumentException(
          "an id is made of " + RANDOM_BYTES + " bytes, not " + random.length());
    }
    StringBuilder id = new StringBuilder(prefix);
    int bits = 0;
    int count = 0;
    for (int i = 0; i < random.length(); i++) {
      bits = (bits << Byte.SIZE) | (random.at(i) & 0xff);
      for (count += Byte.SIZE; count >= CHAR_BITS; count -= CHAR_BITS) {
        id.append(ALPHABET.charAt(bits >>> (count - CHAR_BITS) & 31));
      }
    }
    return id.toString();
  }

  /** Checks an id of that prefix. */
  static String require(String what, String prefix, String id) {
    boolean isRight = id != null && id.startsWith(prefix) && id.length() == prefix.length() + CHARS;
    for (int i = prefix.length(); isRight && i < id.length(); i++) {
      isRight = ALPHABET.indexOf(id.charAt(i)) >= 0;
    }
    if (!isRight) {
      throw new IllegalArgumentException(
          what + " is " + prefix + " and " + CHARS + " of a-z 2-7, not " + Subjects.shown(id));
    }
    return id;
  }

  static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
