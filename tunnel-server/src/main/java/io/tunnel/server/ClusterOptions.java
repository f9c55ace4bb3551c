package io.tunnel.server;

import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.terminal.Diagnosis;
import io.tunnel.terminal.StandardStream;
import io.tunnel.terminal.options.DurationConverter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/**
 * The options that make a server a node of a cluster, and the configuration that follows from them.
 */
final class ClusterOptions {

  private static final String CLUSTER_DEFAULT = "tunnel";
  private static final int STANDBYS_DEFAULT = 1;
  private static final int REPLICATION_DEFAULT = 3;

  /** The kind of log that keeps changes. */
  enum LogKind {
    /** Files of this server. */
    LOCAL,
    /** Kafka, which all nodes of a cluster share. */
    KAFKA
  }

  @Option(
      names = "--log",
      paramLabel = "local|kafka",
      description =
          "Where changes live: in files below --data (local, the default), or in Apache Kafka, as"
              + " one of many nodes.")
  private LogKind log;

  @Option(
      names = "--bootstrap",
      paramLabel = "HOST:PORT",
      split = ",",
      description = "Brokers of Kafka, with commas between them.")
  private List<String> bootstrap;

  @Option(
      names = "--cluster",
      paramLabel = "NAME",
      description = "Prefix of the cluster's topics (default: " + CLUSTER_DEFAULT + ").")
  private String cluster;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "Name of this node, unique in its cluster.")
  private String node;

  @Option(
      names = "--advertise",
      paramLabel = "HOST:PORT",
      description = "Where clients reach this node (default: address where the server listens).")
  private String advertised;

  @Option(
      names = "--standbys",
      paramLabel = "N",
      description =
          "Warm replicas of each partition beside its leader's (default: "
              + STANDBYS_DEFAULT
              + "); the same at all nodes.")
  private Integer standbys;

  @Option(
      names = "--level-auto",
      description =
          "Raise the cluster's level as soon as all nodes serve a higher one; without this option"
              + " 'tunnel cluster upgrade' raises it. There is no way back below a level. The same"
              + " at all nodes.")
  private boolean isLevelAuto;

  @Option(
      names = "--replication",
      paramLabel = "N",
      description =
          "Number of brokers that keep each new topic (default: "
              + REPLICATION_DEFAULT
              + "); 1 if there is one broker.")
  private Integer replication;

  @Option(
      names = "--min-insync",
      paramLabel = "N",
      description =
          "Number of these brokers that must store a change before it counts (default: all but"
              + " one).")
  private Integer minInsync;

  @Option(
      names = "--session-ms",
      paramLabel = "N|TIME",
      converter = DurationConverter.OfMillis.class,
      description =
          "Silence after which other nodes take over this node's part, in milliseconds or as a"
              + " time such as 6s (default: 6s); not under the brokers'"
              + " group.min.session.timeout.ms.")
  private Duration session;

  @Option(
      names = "--kafka-config",
      paramLabel = "FILE",
      description =
          "Properties for Kafka's clients, such as security.protocol and sasl.*; - is standard"
              + " input.")
  private Path kafkaConfig;

  /** For picocli. */
  ClusterOptions() {}

  /**
   * The server's part in a cluster; empty for a server without a cluster.
   *
   * @param host address where the server listens
   * @param sessionMsDefault session length in milliseconds without an option
   * @throws IllegalArgumentException when options are missing, conflict or are invalid
   * @throws IOException when the file of properties cannot be read
   */
  Optional<ClusterConfig> config(String host, int sessionMsDefault) throws IOException {
    if (log != LogKind.KAFKA) {
      requireNone();
      return Optional.empty();
    }
    require(
        bootstrap != null, "--log kafka needs --bootstrap HOST:PORT, a broker or several of them");
    require(node != null, "--log kafka needs --node NAME, which no other node of the cluster has");
    require(
        advertised != null || !isWildcard(host),
        "--host "
            + host
            + " is no address that clients could be sent to: name one with --advertise HOST:PORT");
    int copies = or(replication, REPLICATION_DEFAULT);
    ClusterConfig.Log shared =
        new ClusterConfig.Log(
            bootstrap.stream().map(String::strip).toList(),
            copies,
            or(minInsync, ClusterConfig.Log.minInsyncDefault(copies)),
            session == null ? sessionMsDefault : sessionMs(),
            clientSettings());
    return Optional.of(
        new ClusterConfig(
            cluster == null ? CLUSTER_DEFAULT : cluster,
            node,
            Optional.ofNullable(advertised),
            or(standbys, STANDBYS_DEFAULT),
            isLevelAuto,
            shared));
  }

  /** Refuses cluster options on a server without a cluster, rather than ignoring them. */
  private void requireNone() {
    Map<String, Object> given = new LinkedHashMap<>();
    given.put("--bootstrap", bootstrap);
    given.put("--cluster", cluster);
    given.put("--node", node);
    given.put("--advertise", advertised);
    given.put("--standbys", standbys);
    given.put("--level-auto", isLevelAuto ? true : null);
    given.put("--replication", replication);
    given.put("--min-insync", minInsync);
    given.put("--session-ms", session);
    given.put("--kafka-config", kafkaConfig);
    given.forEach(
        (name, value) ->
            require(
                value == null,
                name + " is an option of a node of a cluster: give --log kafka too"));
  }

  /** A value beyond an int becomes the largest one, which is refused as too long. */
  private int sessionMs() {
    return (int) Math.min(Integer.MAX_VALUE, session.toMillis());
  }

  private Map<String, String> clientSettings() throws IOException {
    if (kafkaConfig == null) {
      return Map.of();
    }
    try {
      return KafkaConfig.readProperties(StandardStream.device(kafkaConfig));
    } catch (IOException e) {
      throw new IOException(Diagnosis.ofFile(e), e);
    }
  }

  private static boolean isWildcard(String host) {
    try {
      return Stream.of(InetAddress.getAllByName(host)).anyMatch(InetAddress::isAnyLocalAddress);
    } catch (UnknownHostException e) {
      // Binding to the address will report the error.
      return false;
    }
  }

  private static int or(Integer given, int otherwise) {
    return given == null ? otherwise : given;
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
