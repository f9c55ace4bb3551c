package io.tunnel.sdk;

import io.tunnel.sdk.metrics.SdkMeter;
import io.tunnel.sdk.profile.EndpointText;
import io.tunnel.sdk.profile.Profile;
import io.tunnel.sdk.profile.Profiles;
import io.tunnel.sdk.security.ClientSecurity;
import io.tunnel.sdk.security.ProfileException;
import io.tunnel.sdk.transport.GuardedMeter;
import io.tunnel.sdk.transport.Ticker;
import io.tunnel.wire.Protocol;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;

/**
 * Addresses, deadlines and limits of a client. A time of more than a hundred years counts as a
 * hundred years.
 *
 * @param endpoints addresses of a server, or of some nodes of a cluster; one reachable node is
 *     enough to find the cluster. 1 to {@value #ENDPOINTS_MAX} endpoints
 * @param connectDeadline for connecting to one endpoint, including the greeting; at least 1 ms
 * @param requestDeadline for the answer to one request; at least 1 ms
 * @param inFlightBytesMax encoded bytes of rows that {@link TableClient#write} and {@link
 *     TableClient#writeAsync} hold per table before they block their caller
 * @param retryDeadline how long a request is retried that could not be sent or was refused as
 *     retriable; zero to try once. Writes of rows have a deadline of their own
 * @param writeRetryDeadline how long {@link TableClient#write} and {@link TableWriter} retry rows
 *     that could not be sent or were refused as retriable, before the outcome is {@code NOT_SENT},
 *     and rows whose answer was lost, before it is {@code IN_DOUBT}; zero to try once. Should
 *     exceed a rolling restart of the service
 * @param meter receives the figures of clients and workers with this configuration; an exception of
 *     the meter is logged once and has no other effect
 * @param security how client and server authenticate each other
 */
public record ClientConfig(
    List<Endpoint> endpoints,
    Duration connectDeadline,
    Duration requestDeadline,
    long inFlightBytesMax,
    Duration retryDeadline,
    Duration writeRetryDeadline,
    SdkMeter meter,
    ClientSecurity security) {

  /** The most endpoints. */
  public static final int ENDPOINTS_MAX = 64;

  private static final long IN_FLIGHT_BYTES_DEFAULT = 32L << 20;

  /**
   * Refuses null, no endpoint or too many, deadlines under 1 ms, and less than one byte in flight.
   */
  public ClientConfig {
    endpoints = List.copyOf(new LinkedHashSet<>(endpoints));
    if (endpoints.isEmpty() || endpoints.size() > ENDPOINTS_MAX) {
      throw new IllegalArgumentException(
          "1 to " + ENDPOINTS_MAX + " endpoints, not " + endpoints.size());
    }
    connectDeadline = requirePositive("connectDeadline", connectDeadline);
    requestDeadline = requirePositive("requestDeadline", requestDeadline);
    if (inFlightBytesMax < 1) {
      throw new IllegalArgumentException("inFlightBytesMax is at least 1, not " + inFlightBytesMax);
    }
    meter = GuardedMeter.of(Objects.requireNonNull(meter, "meter"));
    Objects.requireNonNull(security, "security");
    retryDeadline = requireNotNegative("retryDeadline", retryDeadline);
    writeRetryDeadline = requireNotNegative("writeRetryDeadline", writeRetryDeadline);
  }

  /**
   * The defaults (5 s to connect, 30 s per request, 32 MiB in flight, 10 s of retries, 120 s for
   * rows) for one of:
   *
   * <ul>
   *   <li>endpoints with commas between them, each {@code host:port}, {@code host} alone for port
   *       {@value Protocol#PORT_DEFAULT}, an IPv6 address in brackets. Without TLS, and without
   *       authentication;
   *   <li>{@code profile:NAME}: endpoints and {@link #security} of {@code
   *       ~/.tunnel/profiles/NAME.json}, or of the file NAME when NAME has a slash or ends with
   *       {@code .json}. Environment variables override single values; {@code profile:env} reads
   *       only environment variables;
   *   <li>{@code profile:NAME@ENDPOINTS}: the profile with other endpoints.
   * </ul>
   *
   * @throws IllegalArgumentException when the text is none of these; a {@link ProfileException}
   *     when the profile cannot be used
   */
  public static ClientConfig of(String endpoints) {
    return of(endpoints, Profiles.ofProcess());
  }

  static ClientConfig of(String endpoints, Profiles profiles) {
    EndpointText text = EndpointText.of(endpoints);
    if (text.profile().isEmpty()) {
      return of(text.endpoints());
    }
    Profile profile = profiles.read(text.profile().get());
    List<Endpoint> where = text.endpoints().isEmpty() ? profile.endpoints() : text.endpoints();
    if (where.isEmpty()) {
      throw new ProfileException(
          "profile "
              + text.profile().get()
              + " has no endpoints: say "
              + text
              + "@HOST:PORT, or set TUNNEL_SERVER");
    }
    return of(where).withSecurity(profile.security());
  }

  /**
   * The canonical form of a text for {@link #of(String)}, as returned by {@link #endpoint}. Reads
   * no profile, which may be on another machine.
   *
   * @throws IllegalArgumentException when the text is malformed
   */
  public static String canonical(String endpoints) {
    EndpointText text = EndpointText.of(endpoints);
    return text.profile().isPresent() ? text.toString() : of(text.endpoints()).endpoint();
  }

  /** The defaults for one host and port. */
  public static ClientConfig of(String host, int port) {
    return of(List.of(new Endpoint(host, port)));
  }

  /** The defaults for a list of endpoints. */
  public static ClientConfig of(List<Endpoint> endpoints) {
    return new ClientConfig(
        endpoints,
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        IN_FLIGHT_BYTES_DEFAULT,
        Duration.ofSeconds(10),
        Duration.ofSeconds(120),
        SdkMeter.NONE,
        ClientSecurity.NONE);
  }

  /** A copy with another deadline for connecting. */
  public ClientConfig withConnectDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints,
        deadline,
        requestDeadline,
        inFlightBytesMax,
        retryDeadline,
        writeRetryDeadline,
        meter,
        security);
  }

  /** A copy with another deadline for a request. */
  public ClientConfig withRequestDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        deadline,
        inFlightBytesMax,
        retryDeadline,
        writeRetryDeadline,
        meter,
        security);
  }

  /** A copy with another limit for bytes in flight. */
  public ClientConfig withInFlightBytesMax(long bytes) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        requestDeadline,
        bytes,
        retryDeadline,
        writeRetryDeadline,
        meter,
        security);
  }

  /** A copy with another deadline for retries. */
  public ClientConfig withRetryDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        requestDeadline,
        inFlightBytesMax,
        deadline,
        writeRetryDeadline,
        meter,
        security);
  }

  /** A copy with another deadline for retries of rows. */
  public ClientConfig withWriteRetryDeadline(Duration deadline) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        requestDeadline,
        inFlightBytesMax,
        retryDeadline,
        deadline,
        meter,
        security);
  }

  /** A copy with another meter for its clients and workers. */
  public ClientConfig withMeter(SdkMeter heard) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        requestDeadline,
        inFlightBytesMax,
        retryDeadline,
        writeRetryDeadline,
        heard,
        security);
  }

  /** A copy with another security of connections. */
  public ClientConfig withSecurity(ClientSecurity other) {
    return new ClientConfig(
        endpoints,
        connectDeadline,
        requestDeadline,
        inFlightBytesMax,
        retryDeadline,
        writeRetryDeadline,
        meter,
        other);
  }

  /** The host of the first endpoint. */
  public String host() {
    return endpoints.get(0).host();
  }

  /** The port of the first endpoint. */
  public int port() {
    return endpoints.get(0).port();
  }

  /**
   * The endpoints in the form that {@link #of(String)} parses, with the profile that the {@link
   * #security} came from. The text leaves out security made by a program, and never contains a
   * secret.
   */
  public String endpoint() {
    return new EndpointText(security.profile(), endpoints).toString();
  }

  private static Duration requireNotNegative(String name, Duration duration) {
    if (duration.isNegative()) {
      throw new IllegalArgumentException(name + " is at least 0, not " + duration);
    }
    return Ticker.bounded(duration);
  }

  private static Duration requirePositive(String name, Duration duration) {
    if (duration.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException(name + " is at least 1 ms, not " + duration);
    }
    return Ticker.bounded(duration);
  }
}
