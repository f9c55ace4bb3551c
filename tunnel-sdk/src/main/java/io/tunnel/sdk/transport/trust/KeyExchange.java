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
 * The client's side of one authentication with a key: its two requests, and what the answers have
 * to be. The server proves that it knows the secret as well, so a client with a key goes on with
 * nobody who does not.
 */
public final class KeyExchange {

  private final AccessKey key;
  private final Bytes nonce;
  private final Bytes binding;
  private AuthenticationProof proof;

  /**
   * An exchange that has not begun.
   *
   * @param nonce drawn for this exchange alone
   * @param binding the server's certificate, as {@link #binding} has it
   */
  public KeyExchange(AccessKey key, Bytes nonce, Bytes binding) {
    this.key = key;
    this.nonce = nonce;
    this.binding = binding;
  }

  /** What a proof over that connection is bound to. */
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
   * The second request, behind the answer to the first.
   *
   * @throws MalformedException when that is no challenge
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
   * @param endpoint of the server, for messages
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
              + ", and does not know its secret: it is not the server that it says it is",
          null);
    }
    return accepted.principal();
  }
}
