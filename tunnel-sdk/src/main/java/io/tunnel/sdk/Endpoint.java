package io.tunnel.sdk;

import io.tunnel.wire.Protocol;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of a server, or of a node of a cluster.
 *
 * @param host name or address
 * @param port TCP port, 1 to 65535
 */
public record Endpoint(String host, int port) {

  private static final int PORT_MAX = 65_535;

  /** Refuses null, an empty host, and ports outside of 1 to 65535. */
  public Endpoint {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty()) {
      throw new IllegalArgumentException("the host is empty");
    }
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("a port is 1 to " + PORT_MAX + ", not " + port);
    }
  }

  /**
   * Parses {@code host:port}, {@code host} alone for port {@value Protocol#PORT_DEFAULT}, an IPv6
   * address in brackets.
   *
   * @throws IllegalArgumentException when the text is none of these
   */
  public static Endpoint of(String text) {
    String host = text;
    String port = "";
    int bracket = text.indexOf(']');
    int colon = text.indexOf(':', Math.max(0, bracket));
    if (colon >= 0) {
      host = text.substring(0, colon);
      port = text.substring(colon + 1);
    }
    if (host.startsWith("[") != host.endsWith("]") || port.indexOf(':') >= 0) {
      throw notAnEndpoint(text);
    }
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || (colon >= 0 && port.isEmpty())) {
      throw notAnEndpoint(text);
    }
    return new Endpoint(host, port.isEmpty() ? Protocol.PORT_DEFAULT : parsePort(text, port));
  }

  /** The endpoint that a server named for another node; empty when the address is malformed. */
  public static Optional<Endpoint> told(Optional<String> address) {
    try {
      return address.map(Endpoint::of);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static int parsePort(String text, String port) {
    try {
      return Integer.parseInt(port);
    } catch (NumberFormatException e) {
      throw notAnEndpoint(text);
    }
  }

  private static IllegalArgumentException notAnEndpoint(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not an endpoint: host, host:port or [IPv6 address]:port");
  }

  /** The text that {@link #of} parses. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
