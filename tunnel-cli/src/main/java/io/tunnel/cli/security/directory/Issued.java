package io.tunnel.cli.security.directory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate and its private key, as they are written to files in PEM.
 *
 * @param certificate of an elliptic curve
 * @param key PKCS#8 can hold it
 */
record Issued(X509Certificate certificate, PrivateKey key) {

  private static final Base64.Encoder LINES =
      Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z ]+)-----([^-]*)-----END \\1-----");

  /** The certificate in PEM. */
  String certificatePem() {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException("a certificate that was just made", e);
    }
  }

  /** The key in PEM. */
  String keyPem() {
    return pem("PRIVATE KEY", key.getEncoded());
  }

  private static String pem(String what, byte[] der) {
    return "-----BEGIN "
        + what
        + "-----\n"
        + LINES.encodeToString(der)
        + "\n-----END "
        + what
        + "-----\n";
  }

  /**
   * Reads the first certificate and the key of two texts.
   *
   * @throws IOException when they are none; shows neither
   */
  static Issued of(String certificatePem, String keyPem) throws IOException {
    try {
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(
                      new ByteArrayInputStream(der("CERTIFICATE", certificatePem)));
      PrivateKey key =
          KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
              .generatePrivate(new PKCS8EncodedKeySpec(der("PRIVATE KEY", keyPem)));
      return new Issued(certificate, key);
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("they are damaged, or not a certificate and its key in PEM");
    }
  }

  private static byte[] der(String what, String pem) throws IOException {
    Matcher block = BLOCK.matcher(pem);
    while (block.find()) {
      if (block.group(1).equals(what)) {
        return Base64.getMimeDecoder().decode(block.group(2));
      }
    }
    throw new IOException("there is no -----BEGIN " + what + "-----");
  }

  /** Without the key. */
  @Override
  public String toString() {
    return "Issued[" + certificate.getSubjectX500Principal() + "]";
  }
}
