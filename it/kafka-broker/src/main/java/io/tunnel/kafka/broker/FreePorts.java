package io.tunnel.kafka.broker;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports of loopback on which nobody listens. */
public final class FreePorts {

  /** Systems give clients ports from 32,768 (Linux) or 49,152 on. */
  private static final int PORT_MIN = 12_000;

  private static final int PORTS = 20_000;

  /** A prime that keeps neighbours apart. */
  private static final int SPREAD = 7_919;

  private FreePorts() {}

  /**
   * Finds distinct ports: holds each port open until the last is found, so that no port is found
   * twice. Another server may take a port before the caller listens there. No client does, also
   * while the caller's server is down between two starts: the ports are below the range from which
   * systems give ports to clients.
   */
  public static List<Integer> find(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    try {
      for (int next = somewhere(), tried = 0; sockets.size() < count; next++, tried++) {
        try {
          sockets.add(listen(PORT_MIN + next % PORTS));
        } catch (BindException e) {
          if (tried >= PORTS) {
            throw e;
          }
        }
      }
      return sockets.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : sockets) {
        socket.close();
      }
    }
  }

  private static ServerSocket listen(int port) throws IOException {
    return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
  }

  /** Different programs get different numbers, also when the programs begin together. */
  private static int somewhere() throws IOException {
    try (ServerSocket any = listen(0)) {
      return any.getLocalPort() * SPREAD % PORTS;
    }
  }
}
