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
 * What TLS knows of a connection.
 *
 * @param binding what proofs are bound to
 * @param certificate the client's, if it has one
 */
public record TlsPeer(Bytes binding, Optional<ClientCertificate> certificate) {

  /**
   * The certificate of a client.
   *
   * @param subject whom it is about
   * @param expiresMs milliseconds since 1970; TLS looks at them in a full handshake only, and not
   *     when a session is resumed or goes on
   */
  public record ClientCertificate(Principal subject, long expiresMs) {}

  /** A connection without TLS. */
  static final TlsPeer NONE = new TlsPeer(AuthenticationProof.NO_CHANNEL, Optional.empty());

  /** Of a connection whose handshake is done. */
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
      // No certificate, or one of a subject that rights cannot be given to.
      return Optional.empty();
    }
  }
}
