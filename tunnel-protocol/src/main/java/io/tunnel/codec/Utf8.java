package io.tunnel.codec;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes text as UTF-8; refuses unpaired surrogates instead of replacing them. */
public final class Utf8 {

  private static final long HIGH_BITS = 0x8080808080808080L;

  private Utf8() {}

  /** Writes the byte length of {@code text} as a varint, then the text. */
  public static void writeSized(ByteSink sink, String text) {
    byte[] encoded = encode(text);
    sink.writeVarint(encoded.length);
    sink.write(encoded, 0, encoded.length);
  }

  /** The bytes of {@code text}; {@link IllegalArgumentException} for an unpaired surrogate. */
  public static byte[] encode(String text) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    // getBytes replaces an unpaired surrogate by '?', so bytes without a '?' had none.
    if (Binary.indexOf((byte) '?', encoded, 0, encoded.length) >= 0) {
      requireEncodable(text);
    }
    return encoded;
  }

  private static void requireEncodable(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "text holds an unpaired surrogate at character " + i + ", which UTF-8 cannot encode");
      }
    }
  }

  /**
   * The bytes of the longest start of {@code text} that fits into {@code bytesMax}; an unpaired
   * surrogate becomes a question mark. For texts that only people read.
   */
  public static byte[] encodeStart(String text, int bytesMax) {
    byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
    if (encoded.length <= bytesMax) {
      return encoded;
    }
    int end = bytesMax;
    while (end > 0 && isInsideCharacter(encoded[end])) {
      end--;
    }
    return Arrays.copyOf(encoded, end);
  }

  /**
   * The start of {@code text} of at most {@code charsMax} characters, valid in UTF-8: no pair of
   * surrogates is cut, and an unpaired surrogate becomes a question mark. For texts that only
   * people read.
   */
  public static String start(String text, int charsMax) {
    int end = Math.min(text.length(), charsMax);
    if (end < text.length() && end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return new String(
        text.substring(0, end).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static boolean isInsideCharacter(byte b) {
    return (b & 0xc0) == 0x80;
  }

  /** Throws {@link MalformedException} unless the bytes are UTF-8. */
  static void require(byte[] array, int offset, int length) {
    int at = offset;
    int end = offset + length;
    while (end - at >= 8 && (Binary.getLong(array, at) & HIGH_BITS) == 0) {
      at += 8;
    }
    while (at < end && array[at] >= 0) {
      at++;
    }
    if (at < end) {
      requireEveryByte(array, offset, length);
    }
  }

  /** Decodes UTF-8; throws {@link MalformedException} for invalid bytes. */
  public static String decodeStrictly(byte[] bytes) {
    return decodeStrictly(bytes, 0, bytes.length);
  }

  /** Decodes UTF-8; throws {@link MalformedException} for invalid bytes. */
  public static String decodeStrictly(byte[] array, int offset, int length) {
    require(array, offset, length);
    return decode(array, offset, length);
  }

  /** Decodes bytes that {@link #require} has accepted. */
  public static String decode(byte[] array, int offset, int length) {
    return new String(array, offset, length, StandardCharsets.UTF_8);
  }

  /** Decodes ASCII bytes with a single copy. */
  static String decodeAscii(byte[] array, int offset, int length) {
    return new String(array, offset, length, StandardCharsets.ISO_8859_1);
  }

  private static void requireEveryByte(byte[] array, int offset, int length) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(array, offset, length));
    } catch (CharacterCodingException e) {
      throw new MalformedException(
          "text of " + length + " bytes at byte " + offset + " is not UTF-8");
    }
  }
}
