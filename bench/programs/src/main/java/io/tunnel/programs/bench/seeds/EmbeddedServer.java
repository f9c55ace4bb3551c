package io.tunnel.programs.bench.seeds;

import io.tunnel.programs.servers.JavaProgram;
import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;

/** A server of this service in this process, as a program embeds it: without the HTTP port. */
final class EmbeddedServer implements SeedServer {

  private final Server server;

  private EmbeddedServer(Server server) {
    this.server = server;
  }

  /** Starts one with the settings that {@link OwnServer} gives to a process. */
  static EmbeddedServer start(Path directory, OwnServer.Settings own) throws IOException {
    Path config = own.write(directory);
    int cores = Runtime.getRuntime().availableProcessors();
    ServerConfig settings = ServerConfig.defaults(cores).withFile(config);
    return new EmbeddedServer(
        Server.alone(
            directory.resolve("data"), settings.withNet(settings.net().at("127.0.0.1", 0, -1))));
  }

  @Override
  public int port(int client) {
    return server.localAddress().getPort();
  }

  /** Of this process: server and clients together. */
  @Override
  public long residentBytes() {
    return JavaProgram.residentBytes(ProcessHandle.current().pid());
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
