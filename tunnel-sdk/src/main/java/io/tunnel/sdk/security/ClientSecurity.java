package io.tunnel.sdk.security;

import java.util.Objects;
import java.util.Optional;

/**
 * How a client knows that the server is the right one, and says who it is.
 *
 * @param isTls whether connections are encrypted and the server's certificate is verified, which
 *     has to have the name or the address that the client connects to
 * @param authority whose certificates are trusted; with none, those whom the JDK trusts
 * @param key by which the client says who it is; also without TLS, for a server on the same machine
 * @param certificate by which it says so too, in TLS
 * @param profile what all this was read from: a name or a file as {@code profile:} of {@link
 *     io.tunnel.sdk.ClientConfig#of(String)} takes it; empty when it was put together by a program
 */
public record ClientSecurity(
    boolean isTls,
    Optional<Pem> authority,
    Optional<AccessKey> key,
    Optional<ClientCertificate> certificate,
    Optional<String> profile) {

  /** No TLS, and nobody in particular. */
  public static final ClientSecurity NONE =
      new ClientSecurity(
          false, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Refuses null, and without TLS what is of TLS alone. */
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
   * A copy that trusts that authority's certificates, and no others.
   *
   * @throws IllegalArgumentException without TLS
   */
  public ClientSecurity withAuthority(Pem trusted) {
    return new ClientSecurity(isTls, Optional.of(trusted), key, certificate, Optional.empty());
  }

  /** A copy that says by that key who the client is. */
  public ClientSecurity withKey(AccessKey own) {
    return new ClientSecurity(isTls, authority, Optional.of(own), certificate, Optional.empty());
  }

  /**
   * A copy that says by that certificate who the client is.
   *
   * @throws IllegalArgumentException without TLS
   */
  public ClientSecurity withCertificate(ClientCertificate own) {
    return new ClientSecurity(isTls, authority, key, Optional.of(own), Optional.empty());
  }
}
