package io.tunnel.wire;

import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import java.security.cert.CertificateEncodingException;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * The asking side of one authentication with a key: makes the two requests, and verifies the
 * answers. A client uses its key, and a node that forwards requests uses a voucher. The answering
 * side also proves that it knows the secret; the asking side sends no other request before that.
 * For one thread.
 */
public final class KeyExchange {

  private final String keyId;
  private final byte[] secret;
  private final Bytes nonce;
  private final Bytes binding;
  private Optional<AuthenticationProof> proof = Optional.empty();

  /**
   * An exchange before its first request.
   *
   * @param nonce a random number for this exchange alone, of {@link Authentication#NONCE_BYTES}
   * @param binding {@link #binding} of the connection; {@link AuthenticationProof#NO_CHANNEL}
   *     without TLS
   */
  public KeyExchange(String keyId, byte[] secret, Bytes nonce, Bytes binding) {
    this.keyId = keyId;
    this.secret = secret.clone();
    this.nonce = nonce;
    this.binding = binding;
  }

  /**
   * The bytes that tie a proof to a TLS connection.
   *
   * @throws MalformedException when the peer has shown no certificate
   */
  public static Bytes binding(SSLSession session) {
    try {
      return AuthenticationProof.binding(session.getPeerCertificates()[0].getEncoded());
    } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
      throw new MalformedException("the server has shown no certificate");
    }
  }

  /** The payload of the first request. */
  public byte[] begin() {
    return new Authentication.Begin(keyId, nonce).encode();
  }

  /**
   * The payload of the second request, made from the answer to the first.
   *
   * @throws MalformedException when the answer is no challenge
   */
  public byte[] prove(byte[] answer) {
    if (!(Authentication.Answer.decode(answer) instanceof Authentication.Challenge challenge)) {
      throw new MalformedException("the server has accepted a key before it asked for a proof");
    }
    AuthenticationProof seen = new AuthenticationProof(keyId, nonce, challenge.nonce(), binding);
    proof = Optional.of(seen);
    return new Authentication.Prove(seen.ofClient(secret)).encode();
  }

  /**
   * Verifies the answer to the second request.
   *
   * @return the principal that the key stands for; empty when the server has not proved that it
   *     knows the secret, so another program may answer in its place
   * @throws MalformedException when the answer does not accept the key
   * @throws IllegalStateException before {@link #prove}
   */
  public Optional<String> confirm(byte[] answer) {
    AuthenticationProof seen = proof.orElseThrow(() -> new IllegalStateException("not proved yet"));
    if (!(Authentication.Answer.decode(answer) instanceof Authentication.Accepted accepted)) {
      throw new MalformedException("the server has asked for a proof twice");
    }
    return AuthenticationProof.areEqual(accepted.proof(), seen.ofServer(secret))
        ? Optional.of(accepted.principal())
        : Optional.empty();
  }
}
