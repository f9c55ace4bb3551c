package io.tunnel.terminal.options;

import io.tunnel.terminal.CommandFailure;
import picocli.CommandLine.Option;

/** The option {@code --server}, as a mixin of every command that talks to a server. */
public final class ServerOption {

  private static final int PORT_MAX = 65_535;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      defaultValue = "${env:TUNNEL_SERVER:-127.0.0.1:7650}",
      description =
          "The server, or several nodes of a cluster with commas between them (default:"
              + " TUNNEL_SERVER of the environment, or 127.0.0.1:7650).")
  private String endpoint;

  /** For picocli. */
  public ServerOption() {}

  /**
   * Where the server is: {@code host}, {@code host:port} or {@code [IPv6 address]:port}, or several
   * of them with commas between them.
   *
   * @throws CommandFailure when what was given is none of these
   */
  public String endpoint() {
    for (String one : endpoint.split(",", -1)) {
      requireEndpoint(one.strip());
    }
    return endpoint;
  }

  private static void requireEndpoint(String text) {
    if (!isEndpoint(text)) {
      throw CommandFailure.usage(
          "--server '"
              + text
              + "' is not HOST:PORT, such as 127.0.0.1:7650 or [::1]:7650 (port 1 to "
              + PORT_MAX
              + ")");
    }
  }

  public static boolean isEndpoint(String text) {
    int bracket = text.lastIndexOf(']');
    int colon = text.indexOf(':', bracket + 1);
    String host = colon < 0 ? text : text.substring(0, colon);
    boolean hostIsGood =
        text.startsWith("[")
            ? host.length() > 2 && host.length() == bracket + 1
            : bracket < 0 && !host.isEmpty() && host.chars().noneMatch(Character::isWhitespace);
    return hostIsGood && (colon < 0 || isPort(text.substring(colon + 1)));
  }

  private static boolean isPort(String text) {
    if (!text.matches("[0-9]{1,5}")) {
      return false;
    }
    int port = Integer.parseInt(text);
    return port >= 1 && port <= PORT_MAX;
  }
}
