package io.tunnel.sdk;

import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.transport.GuardedMeter;
import io.tunnel.wire.Protocol;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * How a client reaches the service, and how long and how much it waits.
 *
 * @param endpoints where it listens: a server, or any nodes of a cluster, of which one that can be
 *     reached is enough to find the others; 1 to {@value #ENDPOINTS_MAX}
 * @param connectDeadline for connecting to one of them and being greeted; at least 1 ms
 * @param requestDeadline for the answer to one request; at least 1 ms
 * @param inFlightBytesMax encoded bytes of rows that {@link TableClient#write} and {@link
 *     TableClient#writeAsync} hold per table before they block their caller
 * @param retryDeadline how long a request is repeated that was refused as retriable or could not be
 *     sent; zero to try once
 * @param meter is told what clients and workers with this configuration do; what it throws is
 *     logged once and disturbs nobody
 */
public record ClientConfig(
    List<Endpoint> endpoints,
    Duration connectDeadline,
    Duration requestDeadline,
    long inFlightBytesMax,
    Duration retryDeadline,
    SdkMeter meter) {

  /** Endpoints that can be given. */
  public static final int ENDPOINTS_MAX = 64;

  private static final long IN_FLIGHT_BYTES_DEFAULT = 32L << 20;

  /** Refuses null, no endpoint or too many, deadlines under 1 ms and no bytes at all. */
  public ClientConfig {
    endpoints = List.copyOf(new LinkedHashSet<>(endpoints));
    if (endpoints.isEmpty() || endpoints.size() > ENDPOINTS_MAX) {
      throw new IllegalArgumentException(
          "1 to " + ENDPOINTS_MAX + " endpoints, not " + endpoints.size());
    }
    requirePositive("connectDeadline", connectDeadline);
    requirePositive("requestDeadline", requestDeadline);
    if (inFlightBytesMax < 1) {
      throw new IllegalArgumentException("inFlightBytesMax is at least 1, not " + inFlightBytesMax);
    }
    meter = GuardedMeter.of(Objects.requireNonNull(meter, "meter"));
    if (retryDeadline.isNegative()) {
      throw new IllegalArgumentException("retryDeadline is at least 0, not " + retryDeadline);
    }
  }

  /** A configuration whose figures nobody hears. */
  public ClientConfig(
      List<Endpoint> endpoints,
      Duration connectDeadline,
      Duration requestDeadline,
      long inFlightBytesMax,
      Duration retryDeadline) {
    this(
        endpoints,
        connectDeadline,
        requestDeadline,
        inFlightBytesMax,
        retryDeadline,
        SdkMeter.NONE);
  }

  /**
   * The defaults (5 s to connect, 30 s per request, 32 MiB in flight, 10 s of retries) for {@code
   * endpoints}: one or several with commas between them, each {@code host:port}, {@code host} alone
   * for port {@value Protocol#PORT_DEFAULT}, an IPv6 address in brackets.
   *
   * @throws IllegalArgumentException when the text is none of these
   */
  public static ClientConfig of(String endpoints) {
    List<Endpoint> parsed = new ArrayList<>();
    for (String endpoint : endpoints.split(",", -1)) {
      parsed.add(Endpoint.of(endpoint.strip()));
    }
    return of(parsed);
  }

  /** The defaults for that host and port. */
  public static ClientConfig of(String host, int port) {
    return of(List.of(new Endpoint(host, port)));
  }

  /** The defaults for those endpoints. */
  public static ClientConfig of(List<Endpoint> endpoints) {
    return new ClientConfig(
        endpoints,
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        IN_FLIGHT_BYTES_DEFAULT,
        Duration.ofSeconds(10));
  }

  /** A copy with another deadline for connecting. */
  public ClientConfig withConnectDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints, deadline, requestDeadline, inFlightBytesMax, retryDeadline, meter);
  }

  /** A copy with another deadline for a request. */
  public ClientConfig withRequestDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints, connectDeadline, deadline, inFlightBytesMax, retryDeadline, meter);
  }

  /** A copy with another limit for bytes in flight. */
  public ClientConfig withInFlightBytesMax(long bytes) {
    return new ClientConfig(
        endpoints, connectDeadline, requestDeadline, bytes, retryDeadline, meter);
  }

  /** A copy with another deadline for retries. */
  public ClientConfig withRetryDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints, connectDeadline, requestDeadline, inFlightBytesMax, deadline, meter);
  }

  /** A copy whose clients and workers tell that meter what they do. */
  public ClientConfig withMeter(SdkMeter heard) {
    return new ClientConfig(
        endpoints, connectDeadline, requestDeadline, inFlightBytesMax, retryDeadline, heard);
  }

  /** The host of the first endpoint. */
  public String host() {
    return endpoints.get(0).host();
  }

  /** The port of the first endpoint. */
  public int port() {
    return endpoints.get(0).port();
  }

  /** The endpoints as {@link #of(String)} reads them. */
  public String endpoint() {
    return endpoints.stream().map(Endpoint::toString).collect(Collectors.joining(","));
  }

  private static void requirePositive(String name, Duration duration) {
    if (duration.toMillis() < 1) {
      throw new IllegalArgumentException(name + " is at least 1 ms, not " + duration);
    }
  }
}
