package io.tunnel.sdk.security;

import java.util.Objects;
import java.util.Optional;

/**
 * How client and server authenticate each other.
 *
 * @param isTls whether connections are encrypted and the server's certificate is verified; the
 *     certificate must have the name or address that the client connects to
 * @param authority the trusted certificate authority; if absent, the authorities of the JDK
 * @param key the key that authenticates the client; works without TLS for a server on the same
 *     machine
 * @param certificate the certificate that authenticates the client in TLS
 * @param profile the source of the settings: a name or file as in {@code profile:} of {@link
 *     io.tunnel.sdk.ClientConfig#of(String)}; empty for settings made by a program
 */
public record ClientSecurity(
    boolean isTls,
    Optional<Pem> authority,
    Optional<AccessKey> key,
    Optional<ClientCertificate> certificate,
    Optional<String> profile) {

  /** No TLS, and no authentication. */
  public static final ClientSecurity NONE =
      new ClientSecurity(
          false, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Refuses null, and without TLS the settings of TLS. */
  public ClientSecurity {
    Objects.requireNonNull(authority, "authority");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(certificate, "certificate");
    Objects.requireNonNull(profile, "profile");
    if (!isTls && (authority.isPresent() || certificate.isPresent())) {
      throw new IllegalArgumentException(
          (authority.isPresent() ? "an authority" : "a certificate")
              + " is for TLS, which is switched off");
    }
  }

  /** TLS with a server whose certificate the JDK trusts. */
  public static ClientSecurity tls() {
    return new ClientSecurity(
        true, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * A copy that trusts only certificates of the given authority.
   *
   * @throws IllegalArgumentException without TLS
   */
  public ClientSecurity withAuthority(Pem trusted) {
    return new ClientSecurity(isTls, Optional.of(trusted), key, certificate, Optional.empty());
  }

  /** A copy that authenticates the client by a key. */
  public ClientSecurity withKey(AccessKey own) {
    return new ClientSecurity(isTls, authority, Optional.of(own), certificate, Optional.empty());
  }

  /**
   * A copy that authenticates the client by a certificate.
   *
   * @throws IllegalArgumentException without TLS
   */
  public ClientSecurity withCertificate(ClientCertificate own) {
    return new ClientSecurity(isTls, authority, key, Optional.of(own), Optional.empty());
  }
}
