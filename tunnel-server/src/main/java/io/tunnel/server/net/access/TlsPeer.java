package io.tunnel.server.net.access;

import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.Principal;
import io.tunnel.wire.AuthenticationProof;
import java.security.cert.Certificate;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;

/**
 * The client of a connection, as TLS knows it.
 *
 * @param binding the bytes to which proofs are bound
 * @param certificate the client's certificate, if it sent one
 */
public record TlsPeer(Bytes binding, Optional<ClientCertificate> certificate) {

  /**
   * The certificate of a client.
   *
   * @param subject the principal that the certificate names
   * @param expiresMs milliseconds since 1970; TLS checks it only in a full handshake, and not on
   *     resumed or open connections
   */
  public record ClientCertificate(Principal subject, long expiresMs) {}

  /** A connection without TLS. */
  static final TlsPeer NONE = new TlsPeer(AuthenticationProof.NO_CHANNEL, Optional.empty());

  /** The peer of a connection after its handshake. */
  public static TlsPeer of(ChannelPipeline pipeline) {
    SslHandler handler = pipeline.get(SslHandler.class);
    if (handler == null) {
      return NONE;
    }
    SSLSession session = handler.engine().getSession();
    return new TlsPeer(binding(session.getLocalCertificates()), certificate(session));
  }

  private static Bytes binding(Certificate[] own) {
    try {
      return AuthenticationProof.binding(own[0].getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("the server's own certificate", e);
    }
  }

  private static Optional<ClientCertificate> certificate(SSLSession session) {
    try {
      X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
      String name = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
      return Optional.of(
          new ClientCertificate(
              Principal.ofCertificate(name), certificate.getNotAfter().toInstant().toEpochMilli()));
    } catch (SSLPeerUnverifiedException | IllegalArgumentException e) {
      // No certificate, or its subject cannot be a principal.
      return Optional.empty();
    }
  }
}
