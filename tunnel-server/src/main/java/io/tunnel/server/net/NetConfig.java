package io.tunnel.server.net;

/**
 * The addresses that the server listens on, and its limits for clients.
 *
 * @param host address to bind; anything but loopback needs {@code isInsecure}
 * @param port port of the tunnel protocol; 0 for any free one
 * @param httpPort port of health and metrics; 0 for any free one, -1 for none
 * @param threads event loops that serve connections
 * @param connectionsMax connections at the same time; further ones are refused as BUSY
 * @param isInsecure whether unauthenticated clients from other machines are explicitly allowed
 * @param httpHosts host names, separated by commas, that HTTP requests without TLS may use beside
 *     addresses, {@code localhost} and {@code host}; {@code *} for any
 * @param limits limits of memory and time for clients
 */
public record NetConfig(
    String host,
    int port,
    int httpPort,
    int threads,
    int connectionsMax,
    boolean isInsecure,
    String httpHosts,
    NetLimits limits) {

  private static final int PORT_MAX = 65_535;

  /** Refuses ports and counts out of range. */
  public NetConfig {
    require(host != null && !host.isBlank(), "host is an address, not empty");
    require(port >= 0 && port <= PORT_MAX, "port is 0 to 65535, not " + port);
    require(httpPort >= -1 && httpPort <= PORT_MAX, "httpPort is -1 to 65535, not " + httpPort);
    require(connectionsMax >= 1, "connectionsMax is at least 1, not " + connectionsMax);
    require(threads >= 1 && threads <= 256, "threads is 1 to 256, not " + threads);
    require(httpHosts != null, "httpHosts is text in quotes, not null");
    require(limits != null, "limits is an object, not null");
  }

  /** An address with the default limits. */
  public NetConfig(
      String host, int port, int httpPort, int threads, int connectionsMax, boolean isInsecure) {
    this(host, port, httpPort, threads, connectionsMax, isInsecure, "", NetLimits.DEFAULT);
  }

  /** This configuration with other addresses. */
  public NetConfig at(String otherHost, int otherPort, int otherHttpPort) {
    return new NetConfig(
        otherHost,
        otherPort,
        otherHttpPort,
        threads,
        connectionsMax,
        isInsecure,
        httpHosts,
        limits);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("net." + message);
    }
  }
}
