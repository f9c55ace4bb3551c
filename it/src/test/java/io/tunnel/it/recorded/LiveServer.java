package io.tunnel.it.recorded;

import io.tunnel.server.Server;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.nio.file.Path;

/** Today's server, new and empty. */
final class LiveServer implements AutoCloseable {

  private final Server server;

  LiveServer(Path directory) throws IOException {
    NetConfig net = new NetConfig("127.0.0.1", 0, -1, 1, 100, false);
    server = Server.alone(directory.resolve("data"), ServerConfig.defaults(1).withNet(net));
  }

  int port() {
    return server.localAddress().getPort();
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
