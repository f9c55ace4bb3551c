package io.tunnel.server.kafka;

import io.tunnel.server.kafka.ClientSettings.Owned;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The settings of Kafka. All nodes of a cluster have equal settings, except the properties.
 *
 * @param bootstrap first brokers to connect to, as HOST:PORT,HOST:PORT
 * @param cluster prefix of the names of topics and of the group; one for each cluster of nodes
 * @param replicas replicas of topics
 * @param times timeouts
 * @param compression of records on the wire and in Kafka: none, lz4, zstd, snappy or gzip
 * @param properties further settings of Kafka's clients, such as those of TLS and SASL
 */
public record KafkaConfig(
    String bootstrap,
    String cluster,
    Replication replicas,
    Times times,
    String compression,
    Map<String, String> properties) {

  private static final int BOOTSTRAP_CHARS_MAX = 4_096;
  private static final int PROPERTIES_MAX = 256;
  private static final Pattern CLUSTER = Pattern.compile("[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}");
  private static final Pattern BROKER = Pattern.compile("\\S+:\\d{1,5}");
  private static final Set<String> COMPRESSIONS = Set.of("none", "lz4", "zstd", "snappy", "gzip");

  /**
   * The replicas of topics: of new ones, and the least of existing ones.
   *
   * @param count replicas of each record on brokers
   * @param inSyncMin replicas that are written before a record counts as appended
   */
  public record Replication(int count, int inSyncMin) {
    private static final int COUNT_MAX = 15;

    /** Keeps every acknowledged write when one broker is lost. */
    public static final Replication DEFAULT = new Replication(3, 2);

    /** Refuses counts that cannot work. */
    public Replication {
      require(count >= 1 && count <= COUNT_MAX, "--replication is 1 to 15, not " + count);
      require(
          inSyncMin >= 1 && inSyncMin <= count,
          "--min-insync is 1 to --replication, which is " + count + ", not " + inSyncMin);
    }
  }

  /**
   * Timeouts in milliseconds.
   *
   * @param sessionMs silence after which a node is no member any more; at least the brokers'
   *     group.min.session.timeout.ms
   * @param requestMs wait for a broker's answer before a retry
   * @param deliveryMs time after which an append is abandoned with an unknown outcome; at least
   *     requestMs
   */
  public record Times(int sessionMs, int requestMs, int deliveryMs) {
    private static final int SESSION_MS_MIN = 500;
    private static final int SESSION_MS_MAX = 300_000;
    private static final int REQUEST_MS_MIN = 100;
    private static final int DELIVERY_MS_MAX = 300_000;

    /** Fits brokers with default settings. */
    public static final Times DEFAULT = new Times(6_000, 3_000, 10_000);

    /** Refuses times that cannot work. */
    public Times {
      requireTime(
          sessionMs >= SESSION_MS_MIN && sessionMs <= SESSION_MS_MAX,
          "sessionMs is 500 to 300000 (5 minutes), not " + sessionMs);
      requireTime(
          requestMs >= REQUEST_MS_MIN && requestMs <= DELIVERY_MS_MAX,
          "requestMs is 100 to 300000 (5 minutes), not " + requestMs);
      requireTime(
          deliveryMs >= requestMs && deliveryMs <= DELIVERY_MS_MAX,
          "deliveryMs is requestMs to 300000 (5 minutes), not " + deliveryMs);
    }
  }

  /** Refuses invalid settings, and properties that the server sets itself. */
  public KafkaConfig {
    require(bootstrap != null, "--bootstrap is HOST:PORT,HOST:PORT, not null");
    require(bootstrap.length() <= BOOTSTRAP_CHARS_MAX, "--bootstrap is at most 4096 characters");
    for (String broker : bootstrap.split(",", -1)) {
      require(
          BROKER.matcher(broker).matches(),
          "--bootstrap is HOST:PORT,HOST:PORT, not '" + bootstrap + "'");
    }
    require(
        cluster != null && CLUSTER.matcher(cluster).matches(),
        "--cluster is 1 to 64 letters, digits, '_' and '-', not '" + cluster + "'");
    Objects.requireNonNull(replicas, "kafka.replicas is an object, not null");
    Objects.requireNonNull(times, "kafka.times is an object, not null");
    require(
        compression != null && COMPRESSIONS.contains(compression),
        "kafka.compression is one of " + new TreeSet<>(COMPRESSIONS) + ", not " + compression);
    Objects.requireNonNull(properties, "kafka.properties is an object, not null");
    requireOption(properties.size() <= PROPERTIES_MAX, "has at most 256 properties");
    properties = Map.copyOf(properties);
    for (String name : new TreeMap<>(properties).keySet()) {
      requireOption(!Owned.is(name), "cannot set " + name + ", which the server sets itself");
    }
  }

  /** A cluster with the defaults. */
  public KafkaConfig(String bootstrap, String cluster) {
    this(bootstrap, cluster, Replication.DEFAULT, Times.DEFAULT, "lz4", Map.of());
  }

  /** The settings of every client: the brokers, and how to authenticate. */
  public Map<String, String> clientSettings() {
    Map<String, String> settings = new TreeMap<>(properties);
    settings.put("bootstrap.servers", bootstrap);
    return settings;
  }

  /**
   * Reads properties from a file in the format of Java's properties.
   *
   * @throws IOException when the file cannot be read
   */
  public static Map<String, String> readProperties(Path file) throws IOException {
    Properties read = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      read.load(reader);
    }
    Map<String, String> properties = new TreeMap<>();
    read.stringPropertyNames().forEach(name -> properties.put(name, read.getProperty(name)));
    return properties;
  }

  /** Omits the values of properties, which may be secret. */
  @Override
  public String toString() {
    return "KafkaConfig[bootstrap="
        + bootstrap
        + ", cluster="
        + cluster
        + ", "
        + replicas
        + ", "
        + times
        + ", compression="
        + compression
        + ", properties="
        + new TreeSet<>(properties.keySet())
        + "]";
  }

  /** Checks a value, with a message that names the option of the value. */
  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  /** Checks a property, with a message that names the option {@code --kafka-config}. */
  private static void requireOption(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("--kafka-config " + message);
    }
  }

  /** Checks a time, with a message that names it as the file of settings does. */
  private static void requireTime(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("log.kafka." + message);
    }
  }
}
