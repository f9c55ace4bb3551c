package io.tunnel.programs.bench.seeds;

import io.tunnel.cli.TunnelCommand;
import io.tunnel.cli.security.directory.LoopbackSecurity;
import io.tunnel.programs.servers.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A server of this service, on a data directory of its own. */
final class OwnServer implements SeedServer {

  /** Of the client that makes tables. */
  static final int SPARE_CONNECTIONS = 16;

  private final ServerProcess process;
  private final Path gcLog;

  private OwnServer(ServerProcess process, Path gcLog) {
    this.process = process;
    this.gcLog = gcLog;
  }

  /**
   * Starts one.
   *
   * @param directory is made
   */
  static OwnServer start(Path directory, Settings settings)
      throws IOException, InterruptedException {
    return start(directory, settings, LoopbackSecurity.none());
  }

  /** As {@link #start(Path, Settings)}, closed as {@code security} says. */
  static OwnServer start(Path directory, Settings settings, LoopbackSecurity security)
      throws IOException, InterruptedException {
    Path config = settings.write(directory);
    List<String> arguments = new ArrayList<>(security.arguments());
    arguments.addAll(List.of("--config", config.toString()));
    Path gcLog = directory.resolve("gc.log");
    return new OwnServer(
        ServerProcess.start(
            TunnelCommand.class.getName(),
            directory.resolve("data"),
            directory.resolve("server.log"),
            List.of("-Xlog:gc:file=" + gcLog),
            arguments),
        gcLog);
  }

  /**
   * The settings that differ from the defaults.
   *
   * @param threads event loops; empty for the default
   * @param shards empty for the default
   * @param clients connections of this address that it takes
   */
  record Settings(Optional<Integer> threads, Optional<Integer> shards, int clients) {

    /** Writes the configuration file of a server into a directory, which is made. */
    Path write(Path directory) throws IOException {
      Path config = Files.createDirectories(directory).resolve("config.json");
      return Files.writeString(config, text(), StandardCharsets.UTF_8);
    }

    private String text() {
      return "{\"net\": {"
          + threads.map(count -> "\"threads\": " + count + ", ").orElse("")
          + "\"limits\": {\"connectionsPerAddressMax\": "
          + (clients + SPARE_CONNECTIONS)
          + "}}"
          + shards.map(count -> ", \"log\": {\"shards\": " + count + "}").orElse("")
          + "}";
    }
  }

  String endpoint() {
    return process.endpoint();
  }

  /** Names the process. */
  long pid() {
    return process.pid();
  }

  /** Where the process logs its garbage collections. */
  Path gcLog() {
    return gcLog;
  }

  @Override
  public int port(int client) {
    String endpoint = process.endpoint();
    return Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
  }

  @Override
  public long residentBytes() {
    return process.residentBytes();
  }

  @Override
  public void close() {
    process.close();
  }
}
