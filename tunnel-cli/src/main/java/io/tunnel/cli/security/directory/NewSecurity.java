package io.tunnel.cli.security.directory;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.engine.WiringChance;
import io.tunnel.server.security.MasterKey;
import io.tunnel.wire.Protocol;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * A security directory with everything that a server needs first.
 *
 * @param names whom the server's certificate is for
 * @param keyId the administrator's key
 * @param end when the server's certificate ends
 */
public record NewSecurity(List<String> names, String keyId, Instant end) {

  /** The file of the administrator's profile. */
  public static final String ADMINISTRATOR = AuthorityFiles.ADMINISTRATOR;

  private static final List<String> LOOPBACK = List.of("localhost", "127.0.0.1", "::1");

  /**
   * Makes a directory for servers on loopback.
   *
   * @param directory must not exist, or be empty
   */
  public static void onLoopback(Path directory, Instant now, Duration life) throws IOException {
    var unused = make(directory, loopback(), now, life, "127.0.0.1:" + Protocol.PORT_DEFAULT);
  }

  /** How a machine is called by itself. */
  static List<HostName> loopback() {
    return LOOPBACK.stream().map(HostName::of).toList();
  }

  /**
   * Makes one.
   *
   * @param life how long the certificate is good
   * @param endpoint where the administrator's profile says that the server is
   */
  static NewSecurity make(
      Path directory, List<HostName> names, Instant now, Duration life, String endpoint)
      throws IOException {
    CertificateAuthority authority =
        CertificateAuthority.create(
            WiringChance::secret, now, CertificateOptions.longer(CertificateAuthority.LIFE, life));
    Issued server = authority.server(names, now, life);
    Bytes masterKey = WiringChance.secret(MasterKey.KEY_BYTES);
    MasterKey master = MasterKey.of(masterKey, WiringChance::secret);
    AdministratorKey administrator = AdministratorKey.create(WiringChance::secret);
    try (NewDirectory made = NewDirectory.make(directory)) {
      String trusted = authority.root().certificatePem();
      made.writePublic(AuthorityFiles.AUTHORITY, trusted);
      made.writePrivate(AuthorityFiles.AUTHORITY_KEY, authority.root().keyPem());
      made.writePublic(AuthorityFiles.SERVER, server.certificatePem());
      made.writePrivate(AuthorityFiles.SERVER_KEY, server.keyPem());
      made.writePrivate(AuthorityFiles.MASTER_KEY, masterKey + "\n");
      made.writePrivate(AuthorityFiles.KEYS, administrator.keysFile(master, now.toEpochMilli()));
      made.writePrivate(AuthorityFiles.ADMINISTRATOR, administrator.profile(endpoint, trusted));
      made.keep();
    }
    return new NewSecurity(
        names.stream().map(HostName::text).toList(),
        administrator.id(),
        server.certificate().getNotAfter().toInstant());
  }
}
