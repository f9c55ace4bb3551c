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
 * @param subject whom the client's certificate is about, if it has one
 */
public record TlsPeer(Bytes binding, Optional<Principal> subject) {

  /** A connection without TLS. */
  static final TlsPeer NONE = new TlsPeer(AuthenticationProof.NO_CHANNEL, Optional.empty());

  /** Of a connection whose handshake is done. */
  public static TlsPeer of(ChannelPipeline pipeline) {
    SslHandler handler = pipeline.get(SslHandler.class);
    if (handler == null) {
      return NONE;
    }
    SSLSession session = handler.engine().getSession();
    return new TlsPeer(binding(session.getLocalCertificates()), subject(session));
  }

  private static Bytes binding(Certificate[] own) {
    try {
      return AuthenticationProof.binding(own[0].getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("the server's own certificate", e);
    }
  }

  private static Optional<Principal> subject(SSLSession session) {
    try {
      X509Certificate certificate = (X509Certificate) session.getPeerCertificates()[0];
      String name = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
      return Optional.of(Principal.ofCertificate(name));
    } catch (SSLPeerUnverifiedException | IllegalArgumentException e) {
      // No certificate, or one of a subject that rights cannot be given to.
      return Optional.empty();
    }
  }
}
