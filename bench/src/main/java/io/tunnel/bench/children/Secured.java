package io.tunnel.bench.children;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Whether both sides speak TLS, and by what: the server's certificate and the authority of a
 * directory that {@code tunnel security init} made. Our clients come with the administrator's key
 * besides; Kafka asks nobody who they are.
 */
public record Secured(Optional<Path> directory) {

  /** What the broker's listener has, when it speaks TLS; {@code own} is a file for its identity. */
  public Map<String, String> broker(Path own) throws IOException {
    if (directory.isEmpty()) {
      return Map.of();
    }
    Files.writeString(own, text("server.key") + text("server.crt"));
    return Map.of(
        "listener.security.protocol.map", "PLAINTEXT:SSL,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name", "PLAINTEXT",
        "ssl.keystore.type", "PEM",
        "ssl.keystore.location", own.toString(),
        "ssl.truststore.type", "PEM",
        "ssl.truststore.location", file("authority.crt"));
  }

  /** What Kafka's clients have. */
  public Map<String, String> kafkaClient() {
    return directory.isEmpty()
        ? Map.of()
        : Map.of(
            "security.protocol", "SSL",
            "ssl.truststore.type", "PEM",
            "ssl.truststore.location", file("authority.crt"));
  }

  /** What our server is started with. */
  public List<String> server() {
    return directory.map(path -> List.of("--security", path.toString())).orElse(List.of());
  }

  /** Where our clients connect, and how. */
  public String endpoint(String address) {
    return directory.isEmpty() ? address : "profile:" + file("admin.json") + "@" + address;
  }

  private String text(String name) throws IOException {
    return Files.readString(directory.orElseThrow().resolve(name));
  }

  private String file(String name) {
    return directory.orElseThrow().resolve(name).toAbsolutePath().toString();
  }
}
