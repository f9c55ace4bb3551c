package io.tunnel.sdk.transport.trust;

import io.netty.handler.ssl.SslHandler;
import io.tunnel.codec.MalformedException;
import io.tunnel.model.value.Bytes;
import io.tunnel.sdk.ConnectionException;
import io.tunnel.sdk.security.AccessKey;
import io.tunnel.wire.Authentication;
import io.tunnel.wire.AuthenticationProof;
import java.security.cert.CertificateEncodingException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * The client's side of one authentication with a key: makes the two requests, and verifies the
 * answers. The server also proves that it knows the secret; a client with a key talks to no other
 * server.
 */
public final class KeyExchange {

  private final AccessKey key;
  private final Bytes nonce;
  private final Bytes binding;
  private AuthenticationProof proof;

  /**
   * An exchange before its first request.
   *
   * @param nonce a random number for this exchange alone
   * @param binding the digest of the server's certificate, from {@link #binding}
   */
  public KeyExchange(AccessKey key, Bytes nonce, Bytes binding) {
    this.key = key;
    this.nonce = nonce;
    this.binding = binding;
  }

  /** The bytes that tie a proof to this connection. */
  public static Bytes binding(SslHandler tls) {
    try {
      return AuthenticationProof.binding(
          tls.engine().getSession().getPeerCertificates()[0].getEncoded());
    } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
      throw new IllegalStateException("a server was trusted without a certificate", e);
    }
  }

  /** The first request. */
  public byte[] begin() {
    return new Authentication.Begin(key.id(), nonce).encode();
  }

  /**
   * The second request, made from the answer to the first.
   *
   * @throws MalformedException when the answer is no challenge
   */
  public byte[] prove(byte[] answer) {
    if (!(Authentication.Answer.decode(answer) instanceof Authentication.Challenge challenge)) {
      throw new MalformedException("the server has accepted a key before it asked for a proof");
    }
    proof = new AuthenticationProof(key.id(), nonce, challenge.nonce(), binding);
    return new Authentication.Prove(proof.ofClient(key.secret().utf8())).encode();
  }

  /**
   * Verifies the answer to the second request.
   *
   * @param endpoint the server's address, for messages
   * @return the principal that the key stands for
   * @throws ConnectionException when the server has not proved that it knows the secret
   */
  public String confirm(String endpoint, byte[] answer) {
    if (!(Authentication.Answer.decode(answer) instanceof Authentication.Accepted accepted)) {
      throw new MalformedException("the server has asked for a proof twice");
    }
    if (!AuthenticationProof.areEqual(accepted.proof(), proof.ofServer(key.secret().utf8()))) {
      throw ConnectionException.lasting(
          "cannot connect to "
              + endpoint
              + ": the server takes the key "
              + key.id()
              + ", but does not know the key's secret: another program answers in the server's place",
          null);
    }
    return accepted.principal();
  }
}
