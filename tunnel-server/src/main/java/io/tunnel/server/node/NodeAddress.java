package io.tunnel.server.node;

import io.tunnel.server.net.NetConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;

/**
 * Where a node listens, and the address that others receive; known before the node listens.
 *
 * @param advertised HOST:PORT for clients and other nodes
 */
record NodeAddress(NetConfig net, String advertised) {

  /** Chooses a free port if none is given; another process can still take that port first. */
  static NodeAddress of(NetConfig asked, Optional<String> advertised) throws IOException {
    NetConfig net = asked.port() == 0 ? withPort(asked, freePort(asked.host())) : asked;
    String host = net.host().contains(":") ? "[" + net.host() + "]" : net.host();
    return new NodeAddress(net, advertised.orElse(host + ":" + net.port()));
  }

  private static int freePort(String host) throws IOException {
    try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(host))) {
      return probe.getLocalPort();
    }
  }

  private static NetConfig withPort(NetConfig net, int port) {
    return net.at(net.host(), port, net.httpPort());
  }
}
