package io.tunnel.server.metrics;

import io.netty.util.NetUtil;
import io.tunnel.server.net.NetConfig;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The host names that HTTP requests may use. The owner of a web page can point a name at any
 * address, and make a browser send requests to that address (DNS rebinding). So a server without
 * authentication answers only to its own names and to addresses. With TLS the certificate limits
 * the names, and any name is accepted here.
 */
public record HttpHosts(Set<String> names) {

  private static final String ANY = "*";

  /** Accepts any name. */
  public static final HttpHosts ALL = new HttpHosts(Set.of(ANY));

  /** Takes the names in lower case. */
  public HttpHosts {
    names = Set.copyOf(names);
  }

  /** The names of a server; any name with TLS. */
  public static HttpHosts of(NetConfig net, boolean isTls) {
    return isTls ? ALL : of(net);
  }

  /** The names of a server without TLS. */
  public static HttpHosts of(NetConfig net) {
    return new HttpHosts(
        Stream.concat(Stream.of("localhost", net.host()), Stream.of(net.httpHosts().split(",", -1)))
            .map(name -> name.strip().toLowerCase(Locale.ROOT))
            .filter(name -> !name.isEmpty())
            .collect(Collectors.toUnmodifiableSet()));
  }

  /** Whether all of these Host headers name this server; true without a header. */
  public boolean areOurs(List<String> headers) {
    return names.contains(ANY) || headers.stream().allMatch(this::isOurs);
  }

  private boolean isOurs(String header) {
    String host = withoutPort(header.strip()).toLowerCase(Locale.ROOT);
    return NetUtil.isValidIpV4Address(host)
        || NetUtil.isValidIpV6Address(host)
        || names.contains(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
  }

  private static String withoutPort(String header) {
    if (header.startsWith("[")) {
      int end = header.indexOf(']');
      return end < 0 ? header : header.substring(1, end);
    }
    int colon = header.indexOf(':');
    return colon < 0 ? header : header.substring(0, colon);
  }
}
