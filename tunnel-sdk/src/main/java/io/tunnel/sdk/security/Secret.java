package io.tunnel.sdk.security;

import io.tunnel.codec.Utf8;
import java.security.MessageDigest;

/**
 * A secret text. Comparing two secrets takes a time that does not depend on where they differ, and
 * {@code toString} does not show the secret.
 */
public final class Secret {

  /** The most bytes of a secret in UTF-8. */
  public static final int BYTES_MAX = 512;

  private static final int DELETE = 0x7F;

  private final byte[] utf8;

  private Secret(byte[] utf8) {
    this.utf8 = utf8;
  }

  /**
   * A secret with this text.
   *
   * @throws IllegalArgumentException when the text is empty, longer than {@value #BYTES_MAX} bytes
   *     of UTF-8, or has a control character, such as the end of a line
   */
  public static Secret of(String text) {
    return ofOwn(Utf8.encode(text));
  }

  /** A secret from a copy of UTF-8 bytes; refuses as {@link #of} does. */
  public static Secret ofUtf8(byte[] utf8) {
    return ofOwn(utf8.clone());
  }

  private static Secret ofOwn(byte[] utf8) {
    if (utf8.length == 0 || utf8.length > BYTES_MAX) {
      throw new IllegalArgumentException(
          "a secret has 1 to " + BYTES_MAX + " bytes, not " + utf8.length);
    }
    for (byte one : utf8) {
      if ((one >= 0 && one < ' ') || one == DELETE) {
        throw new IllegalArgumentException(
            "the secret contains a control character, such as a line end");
      }
    }
    return new Secret(utf8);
  }

  /** A copy of the bytes in UTF-8. */
  public byte[] utf8() {
    return utf8.clone();
  }

  /** The number of bytes in UTF-8. */
  public int size() {
    return utf8.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && MessageDigest.isEqual(utf8, secret.utf8);
  }

  /** Only the size, because a hash of the bytes would leak information. */
  @Override
  public int hashCode() {
    return utf8.length;
  }

  @Override
  public String toString() {
    return "***";
  }
}
