package io.tunnel.sdk.profile;

import io.tunnel.sdk.security.AccessKey;
import io.tunnel.sdk.security.ClientCertificate;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.Pem;
import io.tunnel.sdk.security.Secret;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What one source says of a service; each value may be absent. */
record Settings(
    Optional<String> endpoints,
    Optional<Boolean> isTls,
    Optional<Pem> authority,
    Optional<String> keyId,
    Optional<Secret> secret,
    Optional<Path> certificate,
    Optional<Path> certificateKey) {

  /** Nothing at all. */
  static final Settings NONE =
      new Settings(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  /** These, and {@code others} where these say nothing. */
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
   * All of them together. TLS is on unless it is switched off.
   *
   * @param profile the name or the file to read them from again
   * @throws IllegalArgumentException when they cannot be meant together
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
              ? "there is the id of a key, and no secret of it (key.secret of the file, or"
                  + " TUNNEL_SECRET or TUNNEL_SECRET_FILE)"
              : "there is the secret of a key, and no id of it (key.id of the file, or"
                  + " TUNNEL_KEY_ID)");
    }
    return keyId.map(id -> new AccessKey(id, secret.orElseThrow()));
  }

  private Optional<ClientCertificate> clientCertificate() {
    if (certificate.isPresent() != certificateKey.isPresent()) {
      throw new IllegalArgumentException(
          certificate.isPresent()
              ? "there is a certificate, and no key of it (certificateKey of the file, or"
                  + " TUNNEL_CERTIFICATE_KEY)"
              : "there is the key of a certificate, and no certificate (certificate of the file,"
                  + " or TUNNEL_CERTIFICATE)");
    }
    return certificate.map(
        chain -> new ClientCertificate.PemFiles(chain, certificateKey.orElseThrow()));
  }
}
