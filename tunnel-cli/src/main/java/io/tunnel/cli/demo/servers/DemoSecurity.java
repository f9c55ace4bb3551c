package io.tunnel.cli.demo.servers;

import io.tunnel.cli.security.ProfileWriter;
import io.tunnel.cli.security.directory.NewSecurity;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.security.SecurityClient;
import io.tunnel.sdk.security.SecurityClient.Permission;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How the servers of a demo are closed to everybody else: they speak TLS, and what writes and reads
 * comes with a key that has rights on the demo's table alone.
 */
public final class DemoSecurity {

  private static final String DIRECTORY = "security";
  private static final String PRINCIPAL = "demo";
  private static final String PROFILE = "demo.json";
  private static final Duration CERTIFICATE_LIFE = Duration.ofDays(30);

  private final Optional<Path> directory;

  private DemoSecurity(Optional<Path> directory) {
    this.directory = directory;
  }

  /** Servers that are open to everybody on this machine. */
  public static DemoSecurity none() {
    return new DemoSecurity(Optional.empty());
  }

  /** Closed servers, whose keys stay with their data; those that are there already are taken. */
  public static DemoSecurity in(Path data, Instant now) throws IOException {
    Path directory = data.resolve(DIRECTORY);
    if (!Files.exists(directory.resolve(NewSecurity.ADMINISTRATOR))) {
      NewSecurity.onLoopback(directory, now, CERTIFICATE_LIFE);
    }
    return new DemoSecurity(Optional.of(directory));
  }

  /** What a server is started with. */
  List<String> arguments() {
    return directory.map(path -> List.of("--security", path.toString())).orElse(List.of());
  }

  /** What a client that may do everything is told of those endpoints. */
  String forAdministrator(String endpoints) {
    return directory
        .map(path -> endpoint(path.resolve(NewSecurity.ADMINISTRATOR), endpoints))
        .orElse(endpoints);
  }

  /** What the demo's clients are told, after they were given a key and rights on that table. */
  public String forClients(String endpoints, String table) throws IOException {
    if (directory.isEmpty()) {
      return endpoints;
    }
    Path profile = directory.get().resolve(PROFILE);
    ClientConfig config = ClientConfig.of(forAdministrator(endpoints));
    try (SecurityClient client = new SecurityClient(config)) {
      if (!Files.exists(profile)) {
        ProfileWriter.write(profile, config, client.createKey(PRINCIPAL));
      }
      client.grant(
          Permission.allow(
              PRINCIPAL, List.of("create", "read", "write", "drop"), "table:" + table));
      client.grant(
          Permission.allow(
              PRINCIPAL, List.of("create", "consume", "drop"), "tunnel:" + table + "/*"));
    }
    return endpoint(profile, endpoints);
  }

  private static String endpoint(Path profile, String endpoints) {
    return "profile:" + profile.toAbsolutePath() + "@" + endpoints;
  }
}
