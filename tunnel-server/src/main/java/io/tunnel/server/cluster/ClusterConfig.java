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
 * @param name prefix of the cluster's topics and of all that it is called at the log; two clusters
 *     with different names may share one log
 * @param node what this node is called; no two nodes of a cluster have the same
 * @param advertised where clients reach this node, as HOST:PORT; empty for where it listens
 * @param standbys replicas of each partition beside its leader's, as long as there are nodes for
 *     them
 * @param log where all nodes meet
 */
public record ClusterConfig(
    String name, String node, Optional<String> advertised, int standbys, Log log) {

  /** Replicas beside the leader's that can be asked for. */
  public static final int STANDBYS_MAX = 8;

  /** Letters of a cluster's or a node's name. */
  public static final int NAME_LENGTH_MAX = 64;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]*");
  private static final Pattern ADDRESS =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^\\s:,]+):(\\d{1,5})");
  private static final int PORT_MAX = 65_535;

  /**
   * The log that all nodes share.
   *
   * @param bootstrap brokers as HOST:PORT, of which one that answers is enough
   * @param replication on how many brokers each topic is kept
   * @param minInsync how many of them must have a change before it counts
   * @param sessionMs silence after which a node's part goes to others
   * @param clientSettings for every client of the log, such as how it is authenticated
   */
  public record Log(
      List<String> bootstrap,
      int replication,
      int minInsync,
      int sessionMs,
      Map<String, String> clientSettings) {

    /** Brokers that can be named. */
    public static final int BOOTSTRAP_MAX = 64;

    /** Brokers that can keep a topic. */
    public static final int REPLICATION_MAX = 15;

    private static final int SESSION_MS_MIN = 500;
    private static final int SESSION_MS_MAX = 300_000;

    /** Settings that other options say. */
    private static final List<String> SAID_ELSEWHERE = List.of("bootstrap.servers", "group.id");

    /** Refuses addresses and counts that cannot be. */
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

    /** How many brokers must have a change before it counts, when nobody says: all but one. */
    public static int minInsyncDefault(int replication) {
      return Math.max(1, replication - 1);
    }

    /** The client's settings by name only: what they say may be secret. */
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

  /** Refuses names, addresses and counts that cannot be. */
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
