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
 * How a client reaches the service, and how long and how much it waits. A time of more than a
 * hundred years counts as a hundred years.
 *
 * @param endpoints where it listens: a server, or any nodes of a cluster, of which one that can be
 *     reached is enough to find the others; 1 to {@value #ENDPOINTS_MAX}
 * @param connectDeadline for connecting to one of them and being greeted; at least 1 ms
 * @param requestDeadline for the answer to one request; at least 1 ms
 * @param inFlightBytesMax encoded bytes of rows that {@link TableClient#write} and {@link
 *     TableClient#writeAsync} hold per table before they block their caller
 * @param retryDeadline how long a request is repeated that was refused as retriable or could not be
 *     sent; zero to try once. Writes of rows have a deadline of their own
 * @param writeRetryDeadline how long rows are sent again that were refused as retriable or could
 *     not be sent, by {@link TableClient#write} and {@link TableWriter} alike, before their outcome
 *     is {@code NOT_SENT}; zero to try once. Longer than a restart of the service, node after node
 * @param meter is told what clients and workers with this configuration do; what it throws is
 *     logged once and disturbs nobody
 * @param security how the server is known, and who the client is
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
   *   <li>endpoints: one or several with commas between them, each {@code host:port}, {@code host}
   *       alone for port {@value Protocol#PORT_DEFAULT}, an IPv6 address in brackets. Without TLS,
   *       and of nobody in particular;
   *   <li>{@code profile:NAME}: endpoints and {@link #security} of {@code
   *       ~/.tunnel/profiles/NAME.json}, or of that file when NAME has a slash or ends with {@code
   *       .json}. Variables of the environment take the place of single values; with {@code
   *       profile:env} there are only they;
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
   * A text for {@link #of(String)} as {@link #endpoint} would give it. No profile is read: it may
   * be on another machine.
   *
   * @throws IllegalArgumentException when it is no such text
   */
  public static String canonical(String endpoints) {
    EndpointText text = EndpointText.of(endpoints);
    return text.profile().isPresent() ? text.toString() : of(text.endpoints()).endpoint();
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

  /** A copy with another deadline for rows that are sent again. */
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

  /** A copy whose clients and workers tell that meter what they do. */
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

  /** A copy whose connections are secured like that. */
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
   * The endpoints as {@link #of(String)} reads them, with the profile that the {@link #security}
   * was read from. Security that a program has put together is not in it, and a secret never is.
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
