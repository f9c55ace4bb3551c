package io.tunnel.server.security.files;

import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.security.AccessKey;
import io.tunnel.server.security.MasterKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/** Makes security directories, and clients for their servers. */
public final class TestSecurity {

  /** The master key of all of them. */
  public static final String MASTER_KEY = "5a".repeat(32);

  /** The id of the key of principal {@code admin}, and its secret. */
  public static final String ADMIN_KEY = "tkadminadminadmin2";

  public static final String ADMIN_SECRET = "the secret of the administrator";

  /** The password of {@code server.p12}. */
  public static final String PASSWORD = "pass word";

  private static final Instant BEGIN = Instant.parse("2020-01-01T00:00:00Z");

  /** When certificates end that are good. */
  public static final Instant END = Instant.parse("2120-01-01T00:00:00Z");

  /** When those have ended that are not. */
  public static final Instant ENDED = Instant.parse("2021-01-01T00:00:00Z");

  private TestSecurity() {}

  /** Bytes that follow from a seed. */
  public static IntFunction<Bytes> chance(long seed) {
    Random random = new Random(seed);
    return count -> {
      byte[] bytes = new byte[count];
      synchronized (random) {
        random.nextBytes(bytes);
      }
      return Bytes.copyOf(bytes);
    };
  }

  /** What secrets are sealed with. */
  public static MasterKey master() {
    return MasterKey.parse(MASTER_KEY, chance(1));
  }

  /** A secret, as the master key seals it for an access key. */
  public static String sealed(String keyId, String secret) {
    return master().seal(secret.getBytes(StandardCharsets.UTF_8), keyId);
  }

  /** The administrator's key as the server knows it. */
  public static AccessKey adminKey() {
    return new AccessKey(
        ADMIN_KEY,
        io.tunnel.server.security.Principal.ofKey("admin"),
        List.of(sealed(ADMIN_KEY, ADMIN_SECRET)),
        1,
        false);
  }

  /** {@code keys.json} with these keys. */
  public static String keysJson(AccessKey... keys) {
    return Arrays.stream(keys)
        .map(
            key ->
                """
                {"id":"%s","principal":"%s","sealed":["%s"],"created":%d}"""
                    .formatted(
                        key.id(),
                        key.principal().name(),
                        String.join("\",\"", key.sealedSecrets()),
                        key.createdMs()))
        .collect(Collectors.joining(",\n", "[", "]\n"));
  }

  /** Who signs certificates. */
  public record Authority(X509Bundle root) {

    /** One that nobody knows yet. */
    public static Authority of(String name) {
      try {
        return new Authority(
            new CertificateBuilder()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .notBefore(BEGIN)
                .notAfter(END)
                .buildSelfSigned());
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** A certificate of this machine for a server. */
    public X509Bundle server() {
      return issue("CN=server", END);
    }

    /** A certificate that says who a client is. */
    public X509Bundle client(String subject) {
      return issue(subject, END);
    }

    /** A certificate that is good until then. */
    public X509Bundle issue(String subject, Instant until) {
      try {
        return new CertificateBuilder()
            .subject(subject)
            .notBefore(BEGIN)
            .notAfter(until)
            .addSanDnsName("localhost")
            .addSanIpAddress("127.0.0.1")
            .buildIssuedBy(root);
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    /** TLS of a client that trusts this authority and says nothing of itself. */
    public SSLContext client() {
      return clientContext();
    }

    /** TLS of a client that trusts this authority and has a certificate. */
    public SSLContext clientWith(X509Bundle own) {
      try {
        return clientContext(
            (X509ExtendedKeyManager) own.toKeyManagerFactory().getKeyManagers()[0]);
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }

    private SSLContext clientContext(X509ExtendedKeyManager... own) {
      try {
        SSLContext context = SSLContext.getInstance("TLS");
        KeyManager[] shown = Arrays.stream(own).map(Insistent::new).toArray(KeyManager[]::new);
        context.init(shown, root.toTrustManagerFactory().getTrustManagers(), null);
        return context;
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Shows its certificate also to servers that do not want to see one of its authority. */
  private static final class Insistent extends X509ExtendedKeyManager {
    private final X509ExtendedKeyManager own;
    private final String alias;

    Insistent(X509ExtendedKeyManager own) {
      this.own = own;
      this.alias = own.getClientAliases("EC", null)[0];
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return alias;
    }

    @Override
    public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
      return alias;
    }

    @Override
    public X509Certificate[] getCertificateChain(String asked) {
      return own.getCertificateChain(asked);
    }

    @Override
    public PrivateKey getPrivateKey(String asked) {
      return own.getPrivateKey(asked);
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return new String[] {alias};
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return new String[0];
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      throw new IllegalStateException("a client");
    }
  }

  /** TLS of a client that trusts every server, and so learns the server's certificate. */
  public static SSLContext credulousClient() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A whole security directory, with a server's certificate in PEM. */
  public static void write(Path directory, Authority authority) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("authority.crt"), authority.root().getCertificatePEM());
    writePem(directory, authority.server());
    writeMasterKey(directory, MASTER_KEY + "\n");
    Files.writeString(directory.resolve("keys.json"), keysJson(adminKey()));
  }

  /** The file of the master key, for its owner alone. */
  public static void writeMasterKey(Path directory, String content) throws IOException {
    Path file = Files.writeString(directory.resolve("master.key"), content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  /** The server's certificate and key in PEM. */
  public static void writePem(Path directory, X509Bundle server) throws IOException {
    Files.writeString(directory.resolve("server.crt"), server.getCertificatePathPEM());
    Files.writeString(directory.resolve("server.key"), server.getPrivateKeyPEM());
  }

  /** Instead of them, both in PKCS#12. */
  public static void writePkcs12(Path directory, X509Bundle server) throws IOException {
    try (OutputStream out = Files.newOutputStream(directory.resolve("server.p12"))) {
      KeyStore store = server.toKeyStore(PASSWORD.toCharArray());
      store.store(out, PASSWORD.toCharArray());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
    Files.writeString(directory.resolve("server.p12.password"), PASSWORD + "\n");
  }
}
