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
 * The inputs of both sides' proofs that they know the key's secret. A proof is HMAC-SHA-256 with
 * the secret's bytes over the side's name, a zero byte, {@code u8} length of the key's id, the id,
 * both nonces and the binding. The side's name keeps a proof of one side from serving as the proof
 * of the peer.
 *
 * @param keyId the id of the key
 * @param clientNonce the client's nonce
 * @param serverNonce the server's nonce
 * @param binding SHA-256 of the server's certificate in this side's view of the TLS channel, as in
 *     tls-server-end-point of RFC 5929; {@link #NO_CHANNEL} without TLS
 */
public record AuthenticationProof(
    String keyId, Bytes clientNonce, Bytes serverNonce, Bytes binding) {

  /** The binding without TLS. */
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

  /** The client's proof. */
  public Bytes ofClient(byte[] secret) {
    return code(secret, "tunnel client");
  }

  /** The server's proof. */
  public Bytes ofServer(byte[] secret) {
    return code(secret, "tunnel server");
  }

  /** Whether two proofs are equal; the time does not depend on where they differ. */
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
