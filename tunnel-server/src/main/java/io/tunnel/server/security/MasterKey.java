package io.tunnel.server.security;

import io.tunnel.model.value.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.IntFunction;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that seals the secrets of access keys, so that a reader of the catalog learns no secret,
 * and that makes the secrets of {@linkplain Voucher vouchers}, so that only nodes vouch. A sealed
 * secret is the base64 of
 *
 * <pre>
 * form (1 byte, 1) | nonce (12 bytes) | AES-256-GCM of the secret, and its tag (16 bytes)
 * </pre>
 *
 * with the id of its access key as associated data, so that a sealed secret cannot be moved to a
 * different key. Nonces are random: after 2^32 of them a master key is used up. For any thread.
 */
public final class MasterKey {

  /** Bytes of a master key. */
  public static final int KEY_BYTES = 32;

  private static final byte FORM = 1;
  private static final int NONCE_BYTES = 12;
  private static final int TAG_BYTES = 16;
  private static final String ALGORITHM = "AES/GCM/NoPadding";

  /** Keeps the keys that are derived from a master key apart by their use. */
  private static final String VOUCHERS = "tunnel vouchers";

  private final SecretKeySpec key;
  private final IntFunction<Bytes> chance;

  private MasterKey(byte[] key, IntFunction<Bytes> chance) {
    this.key = new SecretKeySpec(key, "AES");
    this.chance = chance;
  }

  /** A secret cannot be opened; the message says why, without the secret. */
  public static final class SealException extends GeneralSecurityException {
    private static final long serialVersionUID = 1L;

    SealException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * The key of these bytes.
   *
   * @param chance makes that number of unpredictable bytes; called for each secret
   * @throws IllegalArgumentException unless there are {@value #KEY_BYTES} bytes
   */
  public static MasterKey of(Bytes key, IntFunction<Bytes> chance) {
    if (key.length() != KEY_BYTES) {
      throw new IllegalArgumentException(
          "a master key has " + KEY_BYTES + " bytes, not " + key.length());
    }
    return new MasterKey(key.toByteArray(), chance);
  }

  /**
   * The key of a text, the content of a file or the value of a variable: 64 hexadecimal digits, or
   * the base64 of {@value #KEY_BYTES} bytes, and blanks or an end of line around it.
   *
   * @param chance makes that number of unpredictable bytes; called for each secret
   * @throws IllegalArgumentException when the text is neither; the message does not contain it
   */
  public static MasterKey parse(String text, IntFunction<Bytes> chance) {
    String trimmed = text.strip();
    byte[] key = trimmed.length() == 2 * KEY_BYTES ? ofHex(trimmed) : ofBase64(trimmed);
    if (key.length != KEY_BYTES) {
      throw new IllegalArgumentException(
          "a master key is 64 hexadecimal digits, or the base64 of 32 bytes; a text of "
              + trimmed.length()
              + " characters was given that is neither");
    }
    return new MasterKey(key, chance);
  }

  /** The secret of an access key as it may be stored. */
  public String seal(byte[] secret, String keyId) {
    byte[] nonce = chance.apply(NONCE_BYTES).toByteArray();
    try {
      byte[] sealed = cipher(Cipher.ENCRYPT_MODE, nonce, keyId).doFinal(secret);
      byte[] all =
          ByteBuffer.allocate(1 + NONCE_BYTES + sealed.length)
              .put(FORM)
              .put(nonce)
              .put(sealed)
              .array();
      return Base64.getEncoder().encodeToString(all);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /**
   * Opens the sealed secret of an access key.
   *
   * @throws SealException when it was sealed with a different master key, for a different access
   *     key, or was changed
   */
  public byte[] open(String sealed, String keyId) throws SealException {
    byte[] all = bytesOf(sealed, keyId);
    if (all.length < 1 + NONCE_BYTES + TAG_BYTES || all[0] != FORM) {
      throw new SealException(
          "what is stored as secret of " + keyId + " was not sealed by this version", null);
    }
    byte[] nonce = Bytes.copyOf(all, 1, NONCE_BYTES).toByteArray();
    try {
      int start = 1 + NONCE_BYTES;
      return cipher(Cipher.DECRYPT_MODE, nonce, keyId).doFinal(all, start, all.length - start);
    } catch (AEADBadTagException e) {
      throw new SealException(
          "the secret of "
              + keyId
              + " was sealed with another master key, or for another access key;"
              + " give the server the master key that it was sealed with",
          e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /**
   * The secret of the voucher with this key id: HMAC-SHA-256 of the id, with a key that is the
   * HMAC-SHA-256 of {@value #VOUCHERS} with the master key.
   */
  public Bytes voucherSecret(String keyId) {
    return Bytes.copyOf(Hmac.of(Hmac.of(key.getEncoded(), VOUCHERS), keyId));
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "MasterKey";
  }

  private Cipher cipher(int mode, byte[] nonce, String keyId) throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance(ALGORITHM);
    cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
    cipher.updateAAD(keyId.getBytes(StandardCharsets.UTF_8));
    return cipher;
  }

  private static byte[] bytesOf(String sealed, String keyId) throws SealException {
    try {
      return Base64.getDecoder().decode(sealed);
    } catch (IllegalArgumentException e) {
      throw new SealException("what is stored as secret of " + keyId + " is not base64", e);
    }
  }

  /** Empty when the text is not hexadecimal: an exception's cause would contain it. */
  private static byte[] ofHex(String text) {
    boolean isHex = text.chars().allMatch(HexFormat::isHexDigit);
    return isHex ? HexFormat.of().parseHex(text) : new byte[0];
  }

  private static byte[] ofBase64(String text) {
    try {
      return Base64.getDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      return new byte[0];
    }
  }
}
