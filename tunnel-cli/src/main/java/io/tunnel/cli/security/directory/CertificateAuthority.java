package io.tunnel.cli.security.directory;

import io.tunnel.model.value.Bytes;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.function.IntFunction;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The only authority whose certificates the servers and clients of one service trust. All keys are
 * of the curve P-256. The authority keeps no list: a certificate counts until it expires, or until
 * the servers get another authority.
 */
final class CertificateAuthority {

  /** How long it lives: what trusts it has to be told of the next one. */
  static final Duration LIFE = Duration.ofDays(3_650);

  /** Clocks of machines differ. */
  private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

  private static final String SIGNED_WITH = "SHA256withECDSA";
  private static final int SERIAL_BYTES = 16;
  private static final int NAME_BYTES = 4;

  private final Issued root;
  private final X500Name name;
  private final IntFunction<Bytes> chance;

  private CertificateAuthority(Issued root, X500Name name, IntFunction<Bytes> chance) {
    this.root = root;
    this.name = name;
    this.chance = chance;
  }

  /** Makes one certificate: of whom, until when, what for. */
  private record Wish(X500Name subject, Instant from, Instant until, List<Use> uses) {}

  /** Writes what a certificate is for into it. */
  @FunctionalInterface
  private interface Use {
    void addTo(X509v3CertificateBuilder builder) throws IOException;
  }

  /**
   * A new authority.
   *
   * @param chance returns the given number of cryptographically random bytes
   * @param life of the authority; at least as long as the life of its certificates
   */
  static CertificateAuthority create(IntFunction<Bytes> chance, Instant now, Duration life) {
    X500Name name = name("tunnel authority " + chance.apply(NAME_BYTES));
    KeyPair keys = keyPair();
    Wish wish =
        new Wish(
            name,
            now.minus(CLOCKS_DIFFER),
            now.plus(life),
            List.of(
                to -> to.addExtension(Extension.basicConstraints, true, new BasicConstraints(0)),
                to ->
                    to.addExtension(
                        Extension.keyUsage,
                        true,
                        new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign))));
    Issued root = make(wish, name, keys, keys, chance);
    return new CertificateAuthority(root, name, chance);
  }

  /** The authority of those files. */
  static CertificateAuthority of(Issued root, IntFunction<Bytes> chance) throws IOException {
    if (root.certificate().getBasicConstraints() < 0) {
      throw new IOException("it is not the certificate of an authority");
    }
    try {
      X500Name name = new JcaX509CertificateHolder(root.certificate()).getSubject();
      return new CertificateAuthority(root, name, chance);
    } catch (GeneralSecurityException e) {
      throw new IOException("its certificate cannot be read", e);
    }
  }

  /** Its own certificate and key. */
  Issued root() {
    return root;
  }

  /** The latest expiry of the certificates that this authority can make. */
  Instant end() {
    return root.certificate().getNotAfter().toInstant();
  }

  /** A certificate of a server, which is also that of a node that asks other nodes. */
  Issued server(List<HostName> names, Instant now, Duration life) {
    GeneralNames all =
        new GeneralNames(names.stream().map(HostName::inCertificate).toArray(GeneralName[]::new));
    return issue(
        "tunnel-server",
        now,
        life,
        to ->
            to.addExtension(
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(
                    new KeyPurposeId[] {
                      KeyPurposeId.id_kp_serverAuth, KeyPurposeId.id_kp_clientAuth
                    })),
        to -> to.addExtension(Extension.subjectAlternativeName, false, all));
  }

  /** A certificate by which a client says that it is {@code CN=NAME}; no server can have it. */
  Issued client(String commonName, Instant now, Duration life) {
    return issue(
        commonName,
        now,
        life,
        to ->
            to.addExtension(
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(KeyPurposeId.id_kp_clientAuth)));
  }

  private Issued issue(String commonName, Instant now, Duration life, Use... uses) {
    List<Use> all = new ArrayList<>(List.of(uses));
    all.add(to -> to.addExtension(Extension.basicConstraints, true, new BasicConstraints(false)));
    all.add(
        to -> to.addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature)));
    Wish wish = new Wish(name(commonName), now.minus(CLOCKS_DIFFER), now.plus(life), all);
    KeyPair signer = new KeyPair(root.certificate().getPublicKey(), root.key());
    return make(wish, name, keyPair(), signer, chance);
  }

  private static X500Name name(String commonName) {
    return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, commonName).build();
  }

  private static KeyPair keyPair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has the curve P-256", e);
    }
  }

  private static Issued make(
      Wish wish, X500Name issuer, KeyPair own, KeyPair signer, IntFunction<Bytes> chance) {
    try {
      X509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              issuer,
              new BigInteger(1, chance.apply(SERIAL_BYTES).toByteArray()),
              Date.from(wish.from()),
              Date.from(wish.until()),
              wish.subject(),
              own.getPublic());
      for (Use use : wish.uses()) {
        use.addTo(builder);
      }
      JcaX509ExtensionUtils ids = new JcaX509ExtensionUtils();
      builder.addExtension(
          Extension.subjectKeyIdentifier, false, ids.createSubjectKeyIdentifier(own.getPublic()));
      builder.addExtension(
          Extension.authorityKeyIdentifier,
          false,
          ids.createAuthorityKeyIdentifier(signer.getPublic()));
      PrivateKey signing = signer.getPrivate();
      return new Issued(
          new JcaX509CertificateConverter()
              .getCertificate(
                  builder.build(new JcaContentSignerBuilder(SIGNED_WITH).build(signing))),
          own.getPrivate());
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new IllegalStateException("a certificate cannot be made", e);
    }
  }
}
