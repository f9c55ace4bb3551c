package io.tunnel.sdk;

import io.tunnel.wire.Protocol;
import java.time.Duration;
import java.util.Objects;

/**
 * How a client reaches the server, and how long and how much it waits.
 *
 * @param host name or address of the server
 * @param port TCP port, 1 to 65535
 * @param connectDeadline for connecting and being greeted; at least 1 ms
 * @param requestDeadline for the answer to one request; at least 1 ms
 * @param inFlightBytesMax encoded bytes of rows that {@link TableClient#write} and {@link
 *     TableClient#writeAsync} hold per table before they block their caller
 * @param retryDeadline how long a request is repeated that was refused as retriable or could not be
 *     sent; zero to try once
 */
public record ClientConfig(
    String host,
    int port,
    Duration connectDeadline,
    Duration requestDeadline,
    long inFlightBytesMax,
    Duration retryDeadline) {

  private static final long IN_FLIGHT_BYTES_DEFAULT = 32L << 20;

  /** Refuses null, ports that do not exist, deadlines under 1 ms and no bytes at all. */
  public ClientConfig {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty()) {
      throw new IllegalArgumentException("the host is empty");
    }
    requirePort(port);
    requirePositive("connectDeadline", connectDeadline);
    requirePositive("requestDeadline", requestDeadline);
    if (inFlightBytesMax < 1) {
      throw new IllegalArgumentException("inFlightBytesMax is at least 1, not " + inFlightBytesMax);
    }
    if (retryDeadline.isNegative()) {
      throw new IllegalArgumentException("retryDeadline is at least 0, not " + retryDeadline);
    }
  }

  /**
   * The defaults (5 s to connect, 30 s per request, 32 MiB in flight, 10 s of retries) for {@code
   * endpoint}: {@code host:port}, {@code host} alone for port {@value Protocol#PORT_DEFAULT}, an
   * IPv6 address in brackets.
   *
   * @throws IllegalArgumentException when the text is none of these
   */
  public static ClientConfig of(String endpoint) {
    String host = endpoint;
    String port = "";
    int bracket = endpoint.indexOf(']');
    int colon = endpoint.indexOf(':', Math.max(0, bracket));
    if (colon >= 0) {
      host = endpoint.substring(0, colon);
      port = endpoint.substring(colon + 1);
    }
    if (host.startsWith("[") != host.endsWith("]") || port.indexOf(':') >= 0) {
      throw notAnEndpoint(endpoint);
    }
    if (host.startsWith("[")) {
      host = host.substring(1, host.length() - 1);
    }
    if (host.isEmpty() || (colon >= 0 && port.isEmpty())) {
      throw notAnEndpoint(endpoint);
    }
    return of(host, port.isEmpty() ? Protocol.PORT_DEFAULT : parsePort(endpoint, port));
  }

  /** The defaults for that host and port. */
  public static ClientConfig of(String host, int port) {
    return new ClientConfig(
        host,
        port,
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        IN_FLIGHT_BYTES_DEFAULT,
        Duration.ofSeconds(10));
  }

  /** A copy with another deadline for connecting. */
  public ClientConfig withConnectDeadline(Duration deadline) {
    return new ClientConfig(host, port, deadline, requestDeadline, inFlightBytesMax, retryDeadline);
  }

  /** A copy with another deadline for a request. */
  public ClientConfig withRequestDeadline(Duration deadline) {
    return new ClientConfig(host, port, connectDeadline, deadline, inFlightBytesMax, retryDeadline);
  }

  /** A copy with another limit for bytes in flight. */
  public ClientConfig withInFlightBytesMax(long bytes) {
    return new ClientConfig(host, port, connectDeadline, requestDeadline, bytes, retryDeadline);
  }

  /** A copy with another deadline for retries. */
  public ClientConfig withRetryDeadline(Duration deadline) {
    return new ClientConfig(
        host, port, connectDeadline, requestDeadline, inFlightBytesMax, deadline);
  }

  /** The endpoint as {@link #of(String)} reads it. */
  public String endpoint() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  private static int parsePort(String endpoint, String port) {
    try {
      return requirePort(Integer.parseInt(port));
    } catch (NumberFormatException e) {
      throw notAnEndpoint(endpoint);
    }
  }

  private static int requirePort(int port) {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is 1 to 65535, not " + port);
    }
    return port;
  }

  private static void requirePositive(String name, Duration duration) {
    if (duration.toMillis() < 1) {
      throw new IllegalArgumentException(name + " is at least 1 ms, not " + duration);
    }
  }

  private static IllegalArgumentException notAnEndpoint(String text) {
    return new IllegalArgumentException(
        "'" + text + "' is not an endpoint: host, host:port or [IPv6 address]:port");
  }
}
