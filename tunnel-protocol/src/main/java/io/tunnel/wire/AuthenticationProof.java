package io.tunnel.wire;

import io.tunnel.codec.Utf8;
import io.tunnel.model.value.Bytes;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What both sides of one authentication saw, and what proves with it that somebody knows the key's
 * secret: HMAC-SHA-256 with the secret's bytes over the side's name, a zero byte, {@code u8} bytes
 * of the key's id, the id, both nonces and the binding. Because the sides' names differ, no proof
 * of one side is one of the other.
 *
 * @param keyId the key
 * @param clientNonce drawn by the client
 * @param serverNonce drawn by the server
 * @param binding SHA-256 of the server's certificate as this side of the TLS channel saw it, as in
 *     tls-server-end-point of RFC 5929; {@link #NO_CHANNEL} without TLS
 */
public record AuthenticationProof(
    String keyId, Bytes clientNonce, Bytes serverNonce, Bytes binding) {

  /** The binding where there is no TLS. */
  public static final Bytes NO_CHANNEL = Bytes.copyOf(new byte[32]);

  private static final String ALGORITHM = "HmacSHA256";

  /** Refuses null, and a binding that is not a SHA-256. */
  public AuthenticationProof {
    Objects.requireNonNull(keyId, "keyId");
    Objects.requireNonNull(clientNonce, "clientNonce");
    Objects.requireNonNull(serverNonce, "serverNonce");
    if (binding.length() != NO_CHANNEL.length()) {
      throw new IllegalArgumentException("a binding of " + binding.length() + " bytes, not 32");
    }
  }

  /** The binding to a server's certificate. */
  public static Bytes binding(byte[] encodedCertificate) {
    try {
      return Bytes.copyOf(MessageDigest.getInstance("SHA-256").digest(encodedCertificate));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** What the client proves. */
  public Bytes ofClient(byte[] secret) {
    return code(secret, "tunnel client");
  }

  /** What the server proves. */
  public Bytes ofServer(byte[] secret) {
    return code(secret, "tunnel server");
  }

  /** Whether two proofs are equal, in a time that does not say where they differ. */
  public static boolean areEqual(Bytes one, Bytes other) {
    return MessageDigest.isEqual(one.toByteArray(), other.toByteArray());
  }

  private Bytes code(byte[] secret, String side) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      mac.update(side.getBytes(StandardCharsets.US_ASCII));
      mac.update((byte) 0);
      byte[] id = Utf8.encode(keyId);
      mac.update((byte) id.length);
      mac.update(id);
      for (Bytes part : Arrays.asList(clientNonce, serverNonce, binding)) {
        mac.update(part.toByteArray());
      }
      return Bytes.copyOf(mac.doFinal());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }
}
