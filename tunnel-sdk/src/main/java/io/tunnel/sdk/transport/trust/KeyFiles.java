package io.tunnel.sdk.transport.trust;

import io.tunnel.sdk.profile.SmallFile;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.security.Secret;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** Reads certificates and private keys from files; an error names the file. */
final class KeyFiles {

  private static final Pattern CERTIFICATE =
      Pattern.compile("-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----");

  private static final Pattern PRIVATE_KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([^-]*)-----END PRIVATE KEY-----");

  private static final byte[] SIGNED = {1};

  private KeyFiles() {}

  /** All certificates of a text; at least one. */
  static X509Certificate[] certificates(Pem pem) {
    return pem instanceof Pem.OfFile of
        ? certificates("the certificates in " + of.file(), text(of.file()))
        : certificates("the authority of the profile", ((Pem.OfText) pem).text());
  }

  private static X509Certificate[] certificates(String what, String text) {
    List<X509Certificate> found = new ArrayList<>();
    Matcher block = CERTIFICATE.matcher(text);
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      while (block.find()) {
        byte[] der = Base64.getMimeDecoder().decode(block.group(1));
        found.add((X509Certificate) factory.generateCertificate(new ByteArrayInputStream(der)));
      }
    } catch (CertificateException | IllegalArgumentException e) {
      throw new ProfileException(what + " cannot be read: they are damaged");
    }
    if (found.isEmpty()) {
      throw new ProfileException(what + ": there is no -----BEGIN CERTIFICATE-----");
    }
    return found.toArray(new X509Certificate[0]);
  }

  /** Shows the client's own certificate to servers that ask for one. */
  static KeyManager own(ClientCertificate certificate) {
    try {
      if (certificate instanceof ClientCertificate.PemFiles files) {
        return ofPem(files);
      }
      return ofStore((ClientCertificate.Pkcs12) certificate);
    } catch (GeneralSecurityException | IOException e) {
      throw new ProfileException("the client's certificate cannot be used: " + e.getMessage());
    }
  }

  private static KeyManager ofPem(ClientCertificate.PemFiles files)
      throws GeneralSecurityException, IOException {
    X509Certificate[] chain = certificates(Pem.file(files.chain()));
    PrivateKey key = privateKey(files.privateKey(), chain[0].getPublicKey().getAlgorithm());
    if (!isPair(key, chain[0].getPublicKey())) {
      throw new ProfileException(
          files.privateKey() + " is not the key of the first certificate in " + files.chain());
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("client", key, new char[0], chain);
    return manager(store, new char[0]);
  }

  private static PrivateKey privateKey(Path file, String algorithm)
      throws GeneralSecurityException {
    Matcher block = PRIVATE_KEY.matcher(text(file));
    if (!block.find()) {
      throw new ProfileException(
          file
              + " has no -----BEGIN PRIVATE KEY----- (unencrypted PKCS#8; 'openssl pkcs8 -topk8"
              + " -nocrypt' makes it of others)");
    }
    try {
      byte[] der = Base64.getMimeDecoder().decode(block.group(1));
      return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
    } catch (InvalidKeySpecException | IllegalArgumentException e) {
      // Without the cause, whose message may quote the key.
      throw new ProfileException(
          "the private key in " + file + " is damaged, or not of the certificate's kind");
    }
  }

  /** Whether the public key verifies a signature of the private key. */
  private static boolean isPair(PrivateKey own, PublicKey certified)
      throws GeneralSecurityException {
    String algorithm = certified.getAlgorithm();
    Signature signature =
        Signature.getInstance(
            switch (algorithm) {
              case "EC" -> "SHA256withECDSA";
              case "RSA" -> "SHA256withRSA";
              default -> algorithm;
            });
    signature.initSign(own);
    signature.update(SIGNED);
    byte[] signed = signature.sign();
    signature.initVerify(certified);
    signature.update(SIGNED);
    return signature.verify(signed);
  }

  private static KeyManager ofStore(ClientCertificate.Pkcs12 given)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    char[] password = chars(given.password());
    try {
      store.load(new ByteArrayInputStream(SmallFile.bytes(given.file())), password);
      if (Collections.list(store.aliases()).isEmpty()) {
        throw new ProfileException(given.file() + " has no certificate with a private key");
      }
      return manager(store, password);
    } catch (IOException e) {
      throw new ProfileException(given.file() + " is not PKCS#12, or has another password");
    } finally {
      Arrays.fill(password, ' ');
    }
  }

  private static char[] chars(Secret password) {
    return new String(password.utf8(), StandardCharsets.UTF_8).toCharArray();
  }

  private static KeyManager manager(KeyStore store, char[] password)
      throws GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, password);
    return factory.getKeyManagers()[0];
  }

  private static String text(Path file) {
    return new String(SmallFile.bytes(file), StandardCharsets.ISO_8859_1);
  }
}
