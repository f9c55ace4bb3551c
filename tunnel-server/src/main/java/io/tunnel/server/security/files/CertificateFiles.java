package io.tunnel.server.security.files;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;

/**
 * The certificates of a security directory as they are on the disk at one moment: {@code
 * authority.crt}, whose certificates are trusted, and the server's own, either {@code server.crt}
 * with {@code server.key} in PEM, or {@code server.p12} with its password in {@code
 * server.p12.password}.
 */
final class CertificateFiles {

  static final List<String> NAMES =
      List.of("authority.crt", "server.crt", "server.key", "server.p12", "server.p12.password");

  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

  private final Path directory;

  CertificateFiles(Path directory) {
    this.directory = directory;
  }

  /** A context that serves with these files, and what it serves with. */
  record Loaded(SslContext server, SslContext client, X509Certificate certificate) {}

  /**
   * Reads them.
   *
   * @throws IOException when one is missing or not what it should be; says which, and what to do
   */
  Loaded load() throws IOException {
    List<X509Certificate> authority = certificates("authority.crt");
    boolean isPkcs12 = Files.exists(directory.resolve("server.p12"));
    String source = isPkcs12 ? "server.p12" : "server.crt";
    try {
      SslContext server =
          (isPkcs12
                  ? SslContextBuilder.forServer(keyManagers())
                  : SslContextBuilder.forServer(pem("server.crt"), pem("server.key")))
              .sslProvider(SslContext.defaultServerProvider())
              .protocols(PROTOCOLS)
              .trustManager(authority)
              .clientAuth(ClientAuth.OPTIONAL)
              .build();
      SslContextBuilder client =
          SslContextBuilder.forClient()
              .sslProvider(SslProvider.JDK)
              .protocols(PROTOCOLS)
              .trustManager(authority);
      SslContext asClient =
          (isPkcs12
                  ? client.keyManager(keyManagers())
                  : client.keyManager(pem("server.crt"), pem("server.key")))
              .build();
      return new Loaded(server, asClient, own(isPkcs12));
    } catch (GeneralSecurityException | IllegalArgumentException | IOException e) {
      throw new IOException(
          "the certificate " + directory.resolve(source) + " and its key cannot be used: " + why(e),
          e);
    }
  }

  private static String why(Exception failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getMessage() == null) {
      cause = cause.getCause();
    }
    return cause instanceof NoSuchFileException missing
        ? "there is no " + missing.getFile()
        : String.valueOf(cause.getMessage());
  }

  private X509Certificate own(boolean isPkcs12) throws IOException, GeneralSecurityException {
    if (!isPkcs12) {
      return certificates("server.crt").get(0);
    }
    KeyStore store = keyStore();
    for (String alias : Collections.list(store.aliases())) {
      Optional<Certificate> certificate = Optional.ofNullable(store.getCertificate(alias));
      if (store.isKeyEntry(alias) && certificate.isPresent()) {
        return (X509Certificate) certificate.get();
      }
    }
    throw new GeneralSecurityException("it holds no key with a certificate");
  }

  private KeyManagerFactory keyManagers() throws IOException, GeneralSecurityException {
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keyStore(), password());
    return factory;
  }

  private KeyStore keyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(directory.resolve("server.p12"))) {
      store.load(in, password());
    }
    return store;
  }

  private char[] password() throws IOException {
    return Files.readString(directory.resolve("server.p12.password")).strip().toCharArray();
  }

  private InputStream pem(String name) throws IOException {
    return new ByteArrayInputStream(Files.readAllBytes(directory.resolve(name)));
  }

  private List<X509Certificate> certificates(String name) throws IOException {
    Path file = directory.resolve(name);
    byte[] text;
    try {
      text = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      throw new IOException(
          "there is no "
              + file
              + "; make a security directory with 'tunnel security init --dir DIR'",
          e);
    }
    try {
      Collection<? extends Certificate> read =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(text));
      if (read.isEmpty()) {
        throw new GeneralSecurityException("it holds none");
      }
      return read.stream().map(X509Certificate.class::cast).toList();
    } catch (GeneralSecurityException e) {
      throw new IOException(file + " holds no certificates in PEM: " + e.getMessage(), e);
    }
  }

  /** Changes whenever one of the files does. */
  String fingerprint() {
    StringBuilder fingerprint = new StringBuilder();
    for (String name : NAMES) {
      fingerprint.append(name).append(' ').append(FileMark.of(directory.resolve(name))).append(' ');
    }
    return fingerprint.toString();
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
