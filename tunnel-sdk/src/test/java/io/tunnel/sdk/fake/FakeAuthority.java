package io.tunnel.sdk.fake;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority that lives as long as a test. */
public final class FakeAuthority {

  /** What somebody else trusts. */
  public static final char[] PASSWORD = "changeit".toCharArray();

  private static final AtomicLong SERIAL = new AtomicLong();

  private final Instant madeAt = Instant.now();
  private final KeyPair keys = keyPair();
  private final X500Name name;
  private final X509Certificate root;

  /** An authority that nobody knows yet. */
  public FakeAuthority(String name) {
    this.name = new X500Name("CN=" + name);
    this.root =
        certificate(new Identity(this.name, keys, List.of()), madeAt.plus(Duration.ofDays(1)));
  }

  private record Identity(X500Name subject, KeyPair keys, List<GeneralName> names) {}

  /** A certificate and its key. */
  public record Issued(X509Certificate certificate, PrivateKey key) {}

  private static KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private X509Certificate certificate(Identity of, Instant until) {
    try {
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              BigInteger.valueOf(SERIAL.incrementAndGet()),
              Date.from(madeAt.minus(Duration.ofDays(2))),
              Date.from(until),
              of.subject(),
              of.keys().getPublic());
      builder.addExtension(
          Extension.basicConstraints, true, new BasicConstraints(of.subject().equals(name)));
      if (!of.names().isEmpty()) {
        builder.addExtension(
            Extension.subjectAlternativeName,
            false,
            new GeneralNames(of.names().toArray(new GeneralName[0])));
      }
      return new JcaX509CertificateConverter()
          .getCertificate(
              builder.build(
                  new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
    } catch (IOException | OperatorCreationException | GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A certificate for those DNS names and addresses, which ends tomorrow. */
  public Issued issue(String... names) {
    return issue(madeAt.plus(Duration.ofDays(1)), names);
  }

  /** One that has ended yesterday. */
  public Issued issueExpired(String... names) {
    return issue(madeAt.minus(Duration.ofDays(1)), names);
  }

  private Issued issue(Instant until, String... names) {
    List<GeneralName> all =
        Arrays.stream(names)
            .map(
                one ->
                    new GeneralName(
                        one.matches("[0-9.]+|.*:.*") ? GeneralName.iPAddress : GeneralName.dNSName,
                        one))
            .toList();
    KeyPair own = keyPair();
    X500Name subject = new X500Name("CN=" + names[0]);
    return new Issued(certificate(new Identity(subject, own, all), until), own.getPrivate());
  }

  /** The authority's own certificate in PEM. */
  public String pem() {
    return pem("CERTIFICATE", encoded(root));
  }

  /** A certificate in PEM. */
  public static String pem(Issued issued) {
    return pem("CERTIFICATE", encoded(issued.certificate()));
  }

  /** A private key in PEM. */
  public static String keyPem(Issued issued) {
    return pem("PRIVATE KEY", issued.key().getEncoded());
  }

  private static byte[] encoded(Certificate certificate) {
    try {
      return certificate.getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String what, byte[] der) {
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
        .formatted(what, Base64.getMimeEncoder().encodeToString(der), what);
  }

  /** A PKCS#12 file with that certificate; its password is {@link #PASSWORD}. */
  public static void writePkcs12(Issued issued, Path file) throws IOException {
    try (var out = Files.newOutputStream(file)) {
      store(issued).store(out, PASSWORD);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static KeyStore store(Issued issued) throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("own", issued.key(), PASSWORD, new Certificate[] {issued.certificate()});
    return store;
  }

  /** TLS of a server with that certificate, which trusts clients of this authority. */
  public SSLContext server(Issued issued) {
    try {
      KeyManagerFactory own = KeyManagerFactory.getInstance("PKIX");
      own.init(store(issued), PASSWORD);
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("root", root);
      TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
      others.init(trusted);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(own.getKeyManagers(), others.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A server with such a certificate. */
  public FakeServer serve(Issued issued, boolean asksClients) {
    SSLContext tls = server(issued);
    return new FakeServer(
        () -> {
          var socket =
              (javax.net.ssl.SSLServerSocket) tls.getServerSocketFactory().createServerSocket();
          socket.setNeedClientAuth(asksClients);
          return socket;
        });
  }
}
