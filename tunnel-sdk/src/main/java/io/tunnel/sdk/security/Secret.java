package io.tunnel.sdk.security;

import io.tunnel.codec.Utf8;
import java.security.MessageDigest;

/**
 * A text that nobody else may know. Two secrets are compared in a time that does not tell where
 * they differ, and no text of a secret shows it.
 */
public final class Secret {

  /** Bytes that a secret may have, in UTF-8. */
  public static final int BYTES_MAX = 512;

  private static final int DELETE = 0x7F;

  private final byte[] utf8;

  private Secret(byte[] utf8) {
    this.utf8 = utf8;
  }

  /**
   * That text.
   *
   * @throws IllegalArgumentException when it is empty, longer than {@value #BYTES_MAX} bytes of
   *     UTF-8, or has a control character, such as the end of a line
   */
  public static Secret of(String text) {
    return ofOwn(Utf8.encode(text));
  }

  /** The text whose UTF-8 those bytes are, which are copied; refused like {@link #of}. */
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
            "the secret has a control character, such as the end of a line, in it");
      }
    }
    return new Secret(utf8);
  }

  /** Its bytes in UTF-8, a copy. */
  public byte[] utf8() {
    return utf8.clone();
  }

  /** How many bytes it has in UTF-8. */
  public int size() {
    return utf8.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret secret && MessageDigest.isEqual(utf8, secret.utf8);
  }

  /** The size alone: a hash of the bytes would say something of them. */
  @Override
  public int hashCode() {
    return utf8.length;
  }

  @Override
  public String toString() {
    return "***";
  }
}
