package io.tunnel.programs.torture.hostile;

import com.sun.management.UnixOperatingSystemMXBean;
import io.tunnel.programs.torture.LastInTurn;
import io.tunnel.sdk.ClientConfig;
import io.tunnel.sdk.Endpoint;
import io.tunnel.terminal.CommandFailure;
import io.tunnel.terminal.options.DurationConverter;
import io.tunnel.terminal.options.ServerOption;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** What {@code torture --hostile} is told besides what every torture is. */
public final class HostileOptions {

  /** Connections of one crowd. */
  public static final int CONNECTIONS_MAX = 5_000;

  /** Files and connections besides the crowd. */
  private static final int FILES_BESIDE = 512;

  private static final Duration TIME_MIN = Duration.ofSeconds(4);
  private static final Duration TIME_MAX = Duration.ofHours(24);
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost");

  @Option(
      names = "--hostile",
      description =
          "Instead of faults: what strangers and intruders can try is tried against a closed"
              + " server, while an ordinary client works.")
  private boolean isHostile;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      defaultValue = "30s",
      converter = DurationConverter.class,
      description = "With --hostile: how long; 4s to 24h (default: ${DEFAULT-VALUE}).")
  private Duration time;

  @Option(
      names = "--connections",
      paramLabel = "N",
      defaultValue = "500",
      description =
          "With --hostile: strangers who connect and stay, at the same time; 0 to 5000 (default:"
              + " ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "--equal-turn",
      description =
          "With --hostile: attackers take their turn like every other program of this machine. By"
              + " default they come last, as if they ran elsewhere, and on a machine without a free"
              + " processor they come to nothing.")
  private boolean isEqualTurn;

  @Option(
      names = "--server",
      paramLabel = "HOST:PORT",
      description =
          "With --hostile: a closed server on this machine, at 127.0.0.1, instead of one that is"
              + " started; needs --profile.")
  private String server;

  @Option(
      names = "--profile",
      paramLabel = "NAME|FILE",
      description = "With --server: its administrator's profile, such as security/admin.json.")
  private String profile;

  @Option(
      names = "--http-port",
      paramLabel = "PORT",
      description =
          "With --server: its port for health and metrics, which are left out without it.")
  private Integer httpPort;

  /** For picocli. */
  public HostileOptions() {}

  /** Whether it is asked for. */
  public boolean isHostile() {
    return isHostile;
  }

  /** How long. */
  Duration time() {
    return time;
  }

  /** How many strangers stay. */
  int connections() {
    return connections;
  }

  /** How the attackers share this machine. */
  LastInTurn turn() throws InterruptedException {
    return isEqualTurn ? LastInTurn.equal() : LastInTurn.here();
  }

  /** The port for health and metrics of a server that is not started here, if it is known. */
  Optional<Integer> httpPort() {
    return Optional.ofNullable(httpPort);
  }

  /**
   * Refuses what cannot be, before anything is started.
   *
   * @throws CommandFailure a usage error
   */
  void check() {
    if (time.compareTo(TIME_MIN) < 0 || time.compareTo(TIME_MAX) > 0) {
      throw CommandFailure.usage("--time is 4s to 24h");
    }
    if (connections < 0 || connections > CONNECTIONS_MAX) {
      throw CommandFailure.usage(
          "--connections is 0 to " + CONNECTIONS_MAX + ", not " + connections);
    }
    if (server == null && (profile != null || httpPort != null)) {
      throw CommandFailure.usage("--profile and --http-port are for a server that --server names");
    }
    if (server != null && profile == null) {
      throw CommandFailure.usage("--server needs the --profile of an administrator");
    }
    requireFiles();
  }

  private void requireFiles() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
        && system.getMaxFileDescriptorCount() < connections + FILES_BESIDE) {
      throw CommandFailure.usage(
          "this machine allows a process "
              + system.getMaxFileDescriptorCount()
              + " open files, and --connections "
              + connections
              + " need "
              + (connections + FILES_BESIDE)
              + "; raise it with 'ulimit -n', or ask for fewer");
    }
  }

  /**
   * How the administrator reaches the server that is attacked, if it is not started here.
   *
   * @throws CommandFailure a usage error when it is not one server on this machine
   */
  Optional<ClientConfig> existing() {
    if (server == null) {
      return Optional.empty();
    }
    String endpoint = ServerOption.endpoint(Optional.of(server), Optional.of(profile), Map.of());
    ClientConfig config;
    try {
      config = ClientConfig.of(endpoint);
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(e.getMessage());
    }
    List<Endpoint> endpoints = config.endpoints();
    if (endpoints.size() != 1 || !LOOPBACK.contains(endpoints.get(0).host())) {
      throw CommandFailure.usage(
          "only one server on this machine is attacked: --server 127.0.0.1:PORT, not '"
              + server
              + "'");
    }
    if (config.security().key().isEmpty()) {
      throw CommandFailure.usage("--profile has no key of an administrator");
    }
    return Optional.of(config);
  }
}
