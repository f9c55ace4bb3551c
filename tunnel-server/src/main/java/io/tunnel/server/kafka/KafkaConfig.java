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
 * Where Kafka is and how it is used. All nodes of a cluster have the same, but for the properties.
 *
 * @param bootstrap brokers to begin with, as HOST:PORT,HOST:PORT
 * @param cluster what the names of topics and of the group begin with; one for each cluster of
 *     nodes
 * @param replicas how topics are made
 * @param times how long is waited
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
   * How topics are made, and what is asked of topics that exist.
   *
   * @param count copies of each record on brokers
   * @param inSyncMin copies that are written before a record counts as appended
   */
  public record Replication(int count, int inSyncMin) {
    private static final int COUNT_MAX = 15;

    /** What keeps every acknowledged write when a broker is lost. */
    public static final Replication DEFAULT = new Replication(3, 2);

    /** Refuses counts that cannot work. */
    public Replication {
      require(count >= 1 && count <= COUNT_MAX, "replicas.count is 1 to 15, not " + count);
      require(
          inSyncMin >= 1 && inSyncMin <= count,
          "replicas.inSyncMin is 1 to replicas.count, not " + inSyncMin);
    }
  }

  /**
   * How long is waited, in milliseconds.
   *
   * @param sessionMs after which a node that is not heard of is not a member any more; the brokers'
   *     group.min.session.timeout.ms must not be more
   * @param requestMs for an answer of a broker, before it is asked again
   * @param deliveryMs until an append is given up, its outcome unknown; at least requestMs and
   *     lingerMs together
   * @param lingerMs the first records of a large append wait for the others, to be sent together
   */
  public record Times(int sessionMs, int requestMs, int deliveryMs, int lingerMs) {
    private static final int SESSION_MS_MIN = 500;
    private static final int SESSION_MS_MAX = 300_000;
    private static final int REQUEST_MS_MIN = 100;
    private static final int DELIVERY_MS_MAX = 300_000;
    private static final int LINGER_MS_MAX = 100;

    /** What suits brokers with their defaults. */
    public static final Times DEFAULT = new Times(6_000, 3_000, 10_000, 5);

    /** Refuses times that cannot work. */
    public Times {
      requireTime(
          sessionMs >= SESSION_MS_MIN && sessionMs <= SESSION_MS_MAX,
          "sessionMs is 500 to 300000 (5 minutes), not " + sessionMs);
      requireTime(
          lingerMs >= 0 && lingerMs <= LINGER_MS_MAX, "lingerMs is 0 to 100, not " + lingerMs);
      requireTime(
          requestMs >= REQUEST_MS_MIN && requestMs <= DELIVERY_MS_MAX,
          "requestMs is 100 to 300000 (5 minutes), not " + requestMs);
      requireTime(
          deliveryMs >= requestMs + lingerMs && deliveryMs <= DELIVERY_MS_MAX,
          "deliveryMs is requestMs + lingerMs to 300000 (5 minutes), not " + deliveryMs);
    }
  }

  /** Refuses what cannot work, and properties that are ours to set. */
  public KafkaConfig {
    require(bootstrap != null, "bootstrap is HOST:PORT,HOST:PORT, not null");
    require(bootstrap.length() <= BOOTSTRAP_CHARS_MAX, "bootstrap is at most 4096 characters");
    for (String broker : bootstrap.split(",", -1)) {
      require(
          BROKER.matcher(broker).matches(),
          "bootstrap is HOST:PORT,HOST:PORT, not '" + bootstrap + "'");
    }
    require(
        cluster != null && CLUSTER.matcher(cluster).matches(),
        "cluster is 1 to 64 letters, digits, '_' and '-', not '" + cluster + "'");
    Objects.requireNonNull(replicas, "kafka.replicas is an object, not null");
    Objects.requireNonNull(times, "kafka.times is an object, not null");
    require(
        compression != null && COMPRESSIONS.contains(compression),
        "compression is one of " + new TreeSet<>(COMPRESSIONS) + ", not " + compression);
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

  /** What every client of Kafka is given: where Kafka is, and how to get in. */
  public Map<String, String> clientSettings() {
    Map<String, String> settings = new TreeMap<>(properties);
    settings.put("bootstrap.servers", bootstrap);
    return settings;
  }

  /**
   * Reads properties from a file in the format of Java's properties.
   *
   * @throws IOException when it cannot be read
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

  /** Everything but the values of properties, which may be secret. */
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

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("kafka." + message);
    }
  }

  /** As the option is called that reads them. */
  private static void requireOption(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("--kafka-config " + message);
    }
  }

  /** As the file of settings names them. */
  private static void requireTime(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException("log.kafka." + message);
    }
  }
}
