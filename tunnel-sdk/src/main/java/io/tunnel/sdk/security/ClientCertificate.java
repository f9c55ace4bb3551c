package io.tunnel.sdk.security;

import java.nio.file.Path;
import java.util.Objects;

/**
 * A certificate that authenticates the client, and its private key. The files are read when a
 * client or a worker is made.
 */
public sealed interface ClientCertificate {

  /**
   * Certificate and key in two text files.
   *
   * @param chain certificates in PEM, the client's first
   * @param privateKey the private key, unencrypted PKCS#8 in PEM ({@code -----BEGIN PRIVATE
   *     KEY-----})
   */
  record PemFiles(Path chain, Path privateKey) implements ClientCertificate {
    /** Refuses null. */
    public PemFiles {
      Objects.requireNonNull(chain, "chain");
      Objects.requireNonNull(privateKey, "privateKey");
    }
  }

  /**
   * Certificate and key in one PKCS#12 file.
   *
   * @param file contains one private key and its certificates
   * @param password the password of the file and of the key
   */
  record Pkcs12(Path file, Secret password) implements ClientCertificate {
    /** Refuses null. */
    public Pkcs12 {
      Objects.requireNonNull(file, "file");
      Objects.requireNonNull(password, "password");
    }
  }
}
