package io.tunnel.sdk.profile;

import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.Secret;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The settings of one source; each value may be absent. */
record Settings(
    Optional<String> endpoints,
    Optional<Boolean> isTls,
    Optional<Pem> authority,
    Optional<String> keyId,
    Optional<Secret> secret,
    Optional<Path> certificate,
    Optional<Path> certificateKey) {

  /** No setting. */
  static final Settings NONE =
      new Settings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** These settings; absent ones from {@code others}. */
  Settings or(Settings others) {
    return new Settings(
        endpoints.or(others::endpoints),
        isTls.or(others::isTls),
        authority.or(others::authority),
        keyId.or(others::keyId),
        secret.or(others::secret),
        certificate.or(others::certificate),
        certificateKey.or(others::certificateKey));
  }

  /**
   * Combines the settings into a profile. TLS is on by default.
   *
   * @param profile the name or file that the settings came from
   * @throws IllegalArgumentException when settings conflict
   */
  Profile together(String profile) {
    return new Profile(
        endpoints.map(EndpointText::endpoints).orElse(List.of()),
        new ClientSecurity(
            isTls.orElse(true), authority, key(), clientCertificate(), Optional.of(profile)));
  }

  private Optional<AccessKey> key() {
    if (keyId.isPresent() != secret.isPresent()) {
      throw new IllegalArgumentException(
          keyId.isPresent()
              ? "the key has an id, but no secret (key.secret of the file, or"
                  + " TUNNEL_SECRET or TUNNEL_SECRET_FILE)"
              : "the key has a secret, but no id (key.id of the file, or" + " TUNNEL_KEY_ID)");
    }
    return keyId.map(id -> new AccessKey(id, secret.orElseThrow()));
  }

  private Optional<ClientCertificate> clientCertificate() {
    if (certificate.isPresent() != certificateKey.isPresent()) {
      throw new IllegalArgumentException(
          certificate.isPresent()
              ? "the certificate has no private key (certificateKey of the file, or"
                  + " TUNNEL_CERTIFICATE_KEY)"
              : "the private key has no certificate (certificate of the file,"
                  + " or TUNNEL_CERTIFICATE)");
    }
    return certificate.map(
        chain -> new ClientCertificate.PemFiles(chain, certificateKey.orElseThrow()));
  }
}
