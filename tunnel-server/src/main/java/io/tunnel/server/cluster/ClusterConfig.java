package io.tunnel.server.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How a server takes part in a cluster.
 *
 * @param name prefix of the cluster's topics, groups and client names at the log; clusters with
 *     different names may share one log
 * @param node name of this node, unique in its cluster
 * @param advertised HOST:PORT where clients reach this node; empty for the address where it listens
 * @param standbys replicas of each partition in addition to the leader's, if there are enough nodes
 * @param isLevelAuto whether this node, while it leads the catalog, raises the level as soon as all
 *     members serve a higher one
 * @param log the log that all nodes share
 */
public record ClusterConfig(
    String name,
    String node,
    Optional<String> advertised,
    int standbys,
    boolean isLevelAuto,
    Log log) {

  /** Most standbys of a partition that can be configured. */
  public static final int STANDBYS_MAX = 8;

  /** Longest name of a cluster or a node, in characters. */
  public static final int NAME_LENGTH_MAX = 64;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^\\s:,]+):(\\d{1,5})");
  private static final int PORT_MAX = 65_535;

  /**
   * The log that all nodes share.
   *
   * @param bootstrap brokers as HOST:PORT; one that answers is enough
   * @param replication number of brokers that store each topic
   * @param minInsync number of these brokers that must store a change before it is acknowledged
   * @param sessionMs silence in milliseconds after which other nodes take over a node's units
   * @param clientSettings settings of every client of the log, such as its authentication
   */
  public record Log(
      List<String> bootstrap,
      int replication,
      int minInsync,
      int sessionMs,
      Map<String, String> clientSettings) {

    /** Most brokers that can be named. */
    public static final int BOOTSTRAP_MAX = 64;

    /** Most brokers that can store a topic. */
    public static final int REPLICATION_MAX = 15;

    private static final int SESSION_MS_MIN = 500;
    private static final int SESSION_MS_MAX = 300_000;

    /** Settings that other options determine. */
    private static final List<String> SAID_ELSEWHERE = List.of("bootstrap.servers", "group.id");

    /** Refuses invalid addresses and counts. */
    public Log {
      bootstrap = List.copyOf(bootstrap);
      clientSettings = Collections.unmodifiableMap(new TreeMap<>(clientSettings));
      require(
          !bootstrap.isEmpty() && bootstrap.size() <= BOOTSTRAP_MAX,
          "bootstrap names 1 to " + BOOTSTRAP_MAX + " brokers, not " + bootstrap.size());
      bootstrap.forEach(address -> requireAddress("bootstrap", address));
      require(
          replication >= 1 && replication <= REPLICATION_MAX,
          "replication is 1 to " + REPLICATION_MAX + ", not " + replication);
      require(
          minInsync >= 1 && minInsync <= replication,
          "min-insync is 1 to the replication of " + replication + ", not " + minInsync);
      require(
          sessionMs >= SESSION_MS_MIN && sessionMs <= SESSION_MS_MAX,
          "session-ms is 500 to 300000 (5 minutes), not " + sessionMs);
      for (String name : SAID_ELSEWHERE) {
        require(
            !clientSettings.containsKey(name),
            "the client settings say " + name + ", which follows from other options");
      }
    }

    /** Default of {@code minInsync}: all brokers of a topic but one. */
    public static int minInsyncDefault(int replication) {
      return Math.max(1, replication - 1);
    }

    /** Names the client's settings without their values, which may be secret. */
    @Override
    public String toString() {
      return "Log[bootstrap="
          + String.join(",", bootstrap)
          + ", replication="
          + replication
          + ", minInsync="
          + minInsync
          + ", sessionMs="
          + sessionMs
          + ", clientSettings="
          + clientSettings.keySet()
          + "]";
    }
  }

  /** Refuses invalid names, addresses and counts. */
  public ClusterConfig {
    requireName("cluster", name);
    requireName("node", node);
    advertised.ifPresent(address -> requireAddress("advertise", address));
    require(
        standbys >= 0 && standbys <= STANDBYS_MAX,
        "standbys is 0 to " + STANDBYS_MAX + ", not " + standbys);
    Objects.requireNonNull(log, "log");
  }

  private static void requireName(String what, String name) {
    require(
        name.length() <= NAME_LENGTH_MAX && NAME.matcher(name).matches(),
        what
            + " '"
            + name
            + "' is not a name: at most "
            + NAME_LENGTH_MAX
            + " letters, digits, '-' and '_', the first a letter or a digit");
  }

  private static void requireAddress(String what, String address) {
    var matcher = ADDRESS.matcher(address);
    boolean isAddress = matcher.matches();
    int port = isAddress ? Integer.parseInt(matcher.group(2)) : 0;
    require(
        port >= 1 && port <= PORT_MAX,
        what + " '" + address + "' is not HOST:PORT, such as 10.0.0.5:9092 or [::1]:9092");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
