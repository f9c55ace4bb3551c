package io.tunnel.server.security.files;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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
import javax.net.ssl.SSLException;

/**
 * The certificates of a security directory as they are on the disk at one time: {@code
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

  /**
   * TLS contexts made from the files, and the server's certificate.
   *
   * @param client presents the server's certificate to other servers
   * @param anonymous presents no certificate
   */
  record Loaded(
      SslContext server, SslContext client, SslContext anonymous, X509Certificate certificate) {}

  /**
   * Reads each file once, so that contexts and certificate come from one version of the files.
   *
   * @throws IOException when a file is missing or invalid; the message says which, and what to do
   */
  Loaded load() throws IOException {
    List<X509Certificate> authority = certificates("authority.crt");
    boolean isPkcs12 = Files.exists(directory.resolve("server.p12"));
    try {
      Loaded loaded = isPkcs12 ? ofPkcs12(authority) : ofPem(authority);
      HandshakeProbe.require(loaded.server());
      return loaded;
    } catch (GeneralSecurityException | SSLException | RuntimeException e) {
      // The JDK's parser throws unchecked exceptions on malformed files.
      throw new IOException(
          "the certificate "
              + directory.resolve(isPkcs12 ? "server.p12" : "server.crt")
              + " and its key cannot be used: "
              + why(e)
              + "; right is "
              + (isPkcs12
                  ? "one private key with its certificate, and its password in server.p12.password"
                  : "server.key with the private key of server.crt, in PKCS#8 without a password"),
          e);
    }
  }

  private static String why(Exception failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getMessage() == null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  private Loaded ofPem(List<X509Certificate> authority) throws IOException {
    byte[] chain = SmallFile.required(directory.resolve("server.crt"));
    byte[] key = SmallFile.required(directory.resolve("server.key"));
    return new Loaded(
        server(SslContextBuilder.forServer(stream(chain), stream(key)), authority),
        client(SslContextBuilder.forClient().keyManager(stream(chain), stream(key)), authority),
        client(SslContextBuilder.forClient(), authority),
        parsed("server.crt", chain).get(0));
  }

  private Loaded ofPkcs12(List<X509Certificate> authority)
      throws IOException, GeneralSecurityException {
    char[] password =
        new String(
                SmallFile.required(directory.resolve("server.p12.password")),
                StandardCharsets.UTF_8)
            .strip()
            .toCharArray();
    KeyStore store = keyStore(password);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    return new Loaded(
        server(SslContextBuilder.forServer(keys), authority),
        client(SslContextBuilder.forClient().keyManager(keys), authority),
        client(SslContextBuilder.forClient(), authority),
        own(store));
  }

  private static SslContext server(SslContextBuilder builder, List<X509Certificate> authority)
      throws SSLException {
    return builder
        .sslProvider(SslContext.defaultServerProvider())
        .protocols(PROTOCOLS)
        .trustManager(authority)
        .clientAuth(ClientAuth.OPTIONAL)
        .build();
  }

  private static SslContext client(SslContextBuilder builder, List<X509Certificate> authority)
      throws SSLException {
    return builder
        .sslProvider(SslProvider.JDK)
        .protocols(PROTOCOLS)
        .trustManager(authority)
        // A certificate of a node need not name the addresses of the node.
        .endpointIdentificationAlgorithm(null)
        .build();
  }

  private KeyStore keyStore(char[] password) throws IOException, GeneralSecurityException {
    Path file = directory.resolve("server.p12");
    byte[] bytes = SmallFile.required(file);
    KeyStore store = KeyStore.getInstance("PKCS12");
    try {
      store.load(stream(bytes), password);
    } catch (IOException e) {
      throw new IOException(
          file
              + " cannot be opened with the password in "
              + directory.resolve("server.p12.password")
              + ": "
              + e.getMessage(),
          e);
    }
    return store;
  }

  private static X509Certificate own(KeyStore store) throws GeneralSecurityException {
    for (String alias : Collections.list(store.aliases())) {
      Optional<Certificate> certificate = Optional.ofNullable(store.getCertificate(alias));
      if (store.isKeyEntry(alias) && certificate.isPresent()) {
        return (X509Certificate) certificate.get();
      }
    }
    throw new GeneralSecurityException("it holds no key with a certificate");
  }

  private static InputStream stream(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  private List<X509Certificate> certificates(String name) throws IOException {
    return parsed(name, SmallFile.required(directory.resolve(name)));
  }

  private List<X509Certificate> parsed(String name, byte[] text) throws IOException {
    try {
      Collection<? extends Certificate> read =
          CertificateFactory.getInstance("X.509").generateCertificates(stream(text));
      if (read.isEmpty()) {
        throw new GeneralSecurityException("it holds none");
      }
      return read.stream().map(X509Certificate.class::cast).toList();
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IOException(
          directory.resolve(name) + " holds no certificates in PEM: " + why(e), e);
    }
  }

  /** A text that changes whenever one of the files changes. */
  String fingerprint() {
    StringBuilder fingerprint = new StringBuilder();
    for (String name : NAMES) {
      fingerprint
          .append(name)
          .append(' ')
          .append(SmallFile.mark(directory.resolve(name)))
          .append(' ');
    }
    return fingerprint.toString();
  }

  @Override
  public String toString() {
    return directory.toString();
  }
}
