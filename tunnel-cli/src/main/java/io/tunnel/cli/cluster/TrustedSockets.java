package io.tunnel.cli.cluster;

import io.tunnel.terminal.CommandFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Sockets with TLS that trust one authority, made of the JDK alone. */
final class TrustedSockets {

  private TrustedSockets() {}

  /**
   * Reads the authority's certificates, which are PEM.
   *
   * @throws CommandFailure when the file holds none
   * @throws IOException when it cannot be read
   */
  static SSLSocketFactory of(Path authority) throws IOException {
    byte[] pem;
    try {
      pem = Files.readAllBytes(authority);
    } catch (IOException e) {
      throw CommandFailure.usage("--authority '" + authority + "' cannot be read");
    }
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (Certificate one :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))) {
        trusted.setCertificateEntry("authority-" + trusted.size(), one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      if (trusted.size() > 0) {
        return tls.getSocketFactory();
      }
    } catch (GeneralSecurityException e) {
      // Said below.
    }
    throw CommandFailure.usage("--authority '" + authority + "' holds no certificate in PEM");
  }
}
