package io.tunnel.cli.security.directory;

import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.IssuedKey;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How the servers that a program starts on this machine are closed to everybody else: they speak
 * TLS, and the program's clients come with a key that has the rights that they need.
 */
public final class LoopbackSecurity {

  private static final String DIRECTORY = "security";
  private static final Duration CERTIFICATE_LIFE = Duration.ofDays(30);

  private final Optional<Path> directory;

  private LoopbackSecurity(Optional<Path> directory) {
    this.directory = directory;
  }

  /** Open servers: everybody on this machine may use them. */
  public static LoopbackSecurity none() {
    return new LoopbackSecurity(Optional.empty());
  }

  /** Closed servers, whose keys stay with their data; those that are there already are taken. */
  public static LoopbackSecurity in(Path data, Instant now) throws IOException {
    Path directory = data.resolve(DIRECTORY);
    if (!Files.exists(directory.resolve(NewSecurity.ADMINISTRATOR))) {
      NewSecurity.onLoopback(directory, now, CERTIFICATE_LIFE);
    }
    return new LoopbackSecurity(Optional.of(directory));
  }

  /** What a server is started with. */
  public List<String> arguments() {
    return directory.map(path -> List.of("--security", path.toString())).orElse(List.of());
  }

  /** The profile of the administrator; empty for open servers. */
  public Optional<Path> administrator() {
    return directory.map(path -> path.resolve(NewSecurity.ADMINISTRATOR).toAbsolutePath());
  }

  /** These endpoints with the profile of the administrator, for a client that may do everything. */
  public String forAdministrator(String endpoints) {
    return directory
        .map(path -> endpoint(path.resolve(NewSecurity.ADMINISTRATOR), endpoints))
        .orElse(endpoints);
  }

  /** What clients are told, after their principal was given a key and these rights. */
  public String forClients(String endpoints, String principal, List<Permission> rights)
      throws IOException {
    if (directory.isEmpty()) {
      return endpoints;
    }
    Path profile = profile(principal);
    ClientConfig config = ClientConfig.of(forAdministrator(endpoints));
    try (SecurityClient client = new SecurityClient(config)) {
      if (!Files.exists(profile)) {
        IssuedKey issued = client.createKey(principal);
        ProfileWriter.create(profile, config).write(issued);
      }
      rights.forEach(client::grant);
    }
    return endpoint(profile, endpoints);
  }

  private Path profile(String principal) {
    return directory.orElseThrow().resolve(principal + ".json");
  }

  /** The servers begin with an empty catalog: the principal has no key any more. */
  public void forget(String principal) throws IOException {
    if (directory.isPresent()) {
      Files.deleteIfExists(profile(principal));
    }
  }

  private static String endpoint(Path profile, String endpoints) {
    return "profile:" + profile.toAbsolutePath() + "@" + endpoints;
  }
}
