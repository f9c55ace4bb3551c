package io.tunnel.server.metrics;

import io.netty.util.NetUtil;
import io.tunnel.server.net.NetConfig;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static final int PORT_MAX = 65_535;

  /** A name or an address of IPv4, or an address of IPv6 in brackets; then perhaps a port. */
  private static final Pattern WRITTEN =
      Pattern.compile("(?<host>\\[[0-9A-Fa-f:.]+]|[^\\s:/?#@\\[\\]]+)(:(?<port>[0-9]{1,5}))?");

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

  /**
   * Whether all of these Host headers name this server, each as HOST or HOST:PORT; true without a
   * header.
   */
  public boolean areOurs(List<String> headers) {
    return headers.stream().allMatch(this::isOurs);
  }

  private boolean isOurs(String header) {
    Matcher written = WRITTEN.matcher(header.strip());
    if (!written.matches()
        || Optional.ofNullable(written.group("port")).map(Integer::parseInt).orElse(0) > PORT_MAX) {
      return false;
    }
    String host = written.group("host").toLowerCase(Locale.ROOT);
    return names.contains(ANY)
        || NetUtil.isValidIpV4Address(host)
        || (host.startsWith("[")
            && NetUtil.isValidIpV6Address(host.substring(1, host.length() - 1)))
        || names.contains(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
  }
}
