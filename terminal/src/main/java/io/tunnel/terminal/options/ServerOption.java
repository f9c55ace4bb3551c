package io.tunnel.terminal.options;

import io.tunnel.terminal.CommandFailure;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/**
 * The options {@code --server} and {@code --profile}, as a mixin of every command that talks to a
 * server.
 */
public final class ServerOption {

  private static final int PORT_MAX = 65_535;
  private static final String SERVER_DEFAULT = "127.0.0.1:7650";

  /** The profile that is made of variables alone. */
  private static final String ENVIRONMENT = "env";

  /** Setting one of these without a profile selects the profile of the environment. */
  private static final List<String> SECURITY_VARIABLES =
      List.of("TUNNEL_AUTHORITY", "TUNNEL_KEY_ID", "TUNNEL_CERTIFICATE", "TUNNEL_TLS");

  private static final Pattern PROFILE_NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description =
          "The server, or several nodes of a cluster with commas between them (default: what the"
              + " profile says, or TUNNEL_SERVER of the environment, or 127.0.0.1:7650).")
  private String server;

  @Option(
      names = "--profile",
      paramLabel = "NAME|FILE",
      description =
          "How to reach the service and who asks: the name of a file in ~/.tunnel/profiles, or a"
              + " file such as ./admin.json (default: TUNNEL_PROFILE of the environment).")
  private String profile;

  private final Map<String, String> environment;

  /** For picocli. */
  public ServerOption() {
    this(System.getenv());
  }

  ServerOption(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Where the server is: {@code host}, {@code host:port} or {@code [IPv6 address]:port}, or several
   * of them with commas between them; with a profile {@code profile:} and its name or file, and
   * behind an {@code @} what is to take the place of the profile's endpoints.
   *
   * @throws CommandFailure when the value has none of these forms
   */
  public String endpoint() {
    return endpoint(Optional.ofNullable(server), Optional.ofNullable(profile), environment);
  }

  /** {@link #endpoint()} of those options. */
  public static String endpoint(
      Optional<String> server, Optional<String> profile, Map<String, String> environment) {
    server.ifPresent(text -> requireEndpoints("--server", text));
    Optional<String> named =
        profile
            .map(text -> requireProfile("--profile", text))
            .or(
                () ->
                    variable("TUNNEL_PROFILE", environment)
                        .map(text -> requireProfile("TUNNEL_PROFILE", text)))
            .or(() -> ofVariables(environment));
    boolean isOfProfile = named.isPresent() && !named.get().equals(ENVIRONMENT);
    if (server.isEmpty() && isOfProfile) {
      return "profile:" + named.get();
    }
    String where = server.orElseGet(() -> serverOf(environment));
    return named.map(name -> "profile:" + name + "@" + where).orElse(where);
  }

  private static Optional<String> ofVariables(Map<String, String> environment) {
    return SECURITY_VARIABLES.stream()
        .filter(name -> variable(name, environment).isPresent())
        .map(name -> ENVIRONMENT)
        .findFirst();
  }

  private static String serverOf(Map<String, String> environment) {
    Optional<String> set = variable("TUNNEL_SERVER", environment);
    set.ifPresent(text -> requireEndpoints("TUNNEL_SERVER", text));
    return set.orElse(SERVER_DEFAULT);
  }

  /** An empty variable is one that is not set. */
  private static Optional<String> variable(String name, Map<String, String> environment) {
    return Optional.ofNullable(environment.get(name)).filter(text -> !text.isEmpty());
  }

  private static String requireProfile(String option, String text) {
    boolean isFile =
        text.endsWith(".json")
            || (text.contains("/") && text.lastIndexOf('@') < text.lastIndexOf('/'));
    if (!isFile && !PROFILE_NAME.matcher(text).matches()) {
      throw CommandFailure.usage(
          option
              + " '"
              + text
              + "' is not a profile: a name of 1 to 64 of A-Z a-z 0-9 _ . -, or a file such as"
              + " ./admin.json");
    }
    return text;
  }

  private static void requireEndpoints(String option, String text) {
    for (String one : text.split(",", -1)) {
      if (!isEndpoint(one.strip())) {
        throw CommandFailure.usage(
            option
                + " '"
                + one.strip()
                + "' is not HOST:PORT, such as 127.0.0.1:7650 or [::1]:7650 (port 1 to "
                + PORT_MAX
                + ")"
                + (one.contains("://")
                    ? "; clients do not use HTTP: leave out '://' and what is before it, and give"
                        + " the port of --port, not the one of --http-port"
                    : ""));
      }
    }
  }

  /** Whether that is a host, and perhaps a port. */
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
