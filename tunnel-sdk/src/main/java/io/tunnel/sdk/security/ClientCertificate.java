package io.tunnel.sdk.security;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A certificate of the client's own, by which it says who it is, and its private key. The files are
 * read when a client or a worker is made.
 */
public sealed interface ClientCertificate {

  /**
   * In two files of text.
   *
   * @param chain certificates in PEM, the client's first
   * @param privateKey its key, unencrypted PKCS#8 in PEM ({@code -----BEGIN PRIVATE KEY-----})
   */
  record PemFiles(Path chain, Path privateKey) implements ClientCertificate {
    /** Refuses null. */
    public PemFiles {
      Objects.requireNonNull(chain, "chain");
      Objects.requireNonNull(privateKey, "privateKey");
    }
  }

  /**
   * In one PKCS#12 file.
   *
   * @param file with one private key and its certificates
   * @param password of the file and of the key
   */
  record Pkcs12(Path file, Secret password) implements ClientCertificate {
    /** Refuses null. */
    public Pkcs12 {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(password, "password");
    }
  }
}
