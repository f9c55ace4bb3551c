package io.tunnel.server.kafka;

import io.tunnel.server.kafka.KafkaConfig.Replication;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The settings that a topic needs for the service to keep its promises: for its creation, and for
 * the check of an existing topic.
 *
 * @param partitions number of partitions; 0 for any
 * @param required settings, by name
 */
record TopicSettings(int partitions, Replication replicas, Map<String, String> required) {

  private static final long TOMBSTONE_MS_MIN = TimeUnit.DAYS.toMillis(1);

  /** Segment size of topics that each new leader reads to their end. */
  private static final int SMALL_SEGMENT_BYTES = 16 * 1024 * 1024;

  /**
   * Settings that may have any value between two. Kafka frees complete segments only, so a large
   * segment keeps what a table has trimmed, and small segments are many open files.
   */
  private static final Map<String, Range> RANGES =
      Map.of(
          TopicConfig.SEGMENT_BYTES_CONFIG,
          new Range(64L << 20, 128L << 20),
          TopicConfig.SEGMENT_MS_CONFIG,
          new Range(TimeUnit.HOURS.toMillis(1), TimeUnit.DAYS.toMillis(7)));

  private record Range(long least, long most) {}

  /** Refuses null, and sorts the settings. */
  TopicSettings {
    Objects.requireNonNull(replicas, "replicas");
    required = Collections.unmodifiableMap(new TreeMap<>(required));
  }

  /**
   * For a table's log of appends, and for the blocks of its snapshots. Kafka deletes nothing by
   * itself: the nodes say what is deleted.
   */
  static TopicSettings ofAppends(int partitions, Replication replicas) {
    Map<String, String> required = durable(replicas);
    required.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    required.put(TopicConfig.RETENTION_MS_CONFIG, "-1");
    required.put(TopicConfig.RETENTION_BYTES_CONFIG, "-1");
    required.put(TopicConfig.SEGMENT_BYTES_CONFIG, Long.toString(64L << 20));
    required.put(TopicConfig.SEGMENT_MS_CONFIG, Long.toString(TimeUnit.DAYS.toMillis(1)));
    // The brokers' clocks show a leader whose clock is wrong.
    required.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    return new TopicSettings(partitions, replicas, required);
  }

  /** For the catalog and the tunnels. */
  static TopicSettings ofState(int partitions, Replication replicas) {
    Map<String, String> required = durable(replicas);
    required.put(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT);
    required.put(TopicConfig.DELETE_RETENTION_MS_CONFIG, Long.toString(TOMBSTONE_MS_MIN));
    return new TopicSettings(partitions, replicas, required);
  }

  private static Map<String, String> durable(Replication replicas) {
    Map<String, String> required = new TreeMap<>();
    required.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(replicas.inSyncMin()));
    required.put(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
    required.put(
        TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(ClientSettings.RECORD_BYTES_MAX));
    return required;
  }

  /** The settings of a new topic: required and merely useful ones. */
  Map<String, String> given() {
    Map<String, String> given = new TreeMap<>(required);
    if (required.get(TopicConfig.CLEANUP_POLICY_CONFIG).equals(TopicConfig.CLEANUP_POLICY_DELETE)) {
      // The leader has compressed the record, and no reader needs another compression.
      given.put(TopicConfig.COMPRESSION_TYPE_CONFIG, "producer");
    } else {
      given.put(TopicConfig.SEGMENT_BYTES_CONFIG, Integer.toString(SMALL_SEGMENT_BYTES));
    }
    return given;
  }

  /**
   * The problems of a topic, each with the command that fixes it; empty when there are none.
   *
   * @param bootstrap brokers for the commands
   * @param found present settings of the topic, including broker defaults
   */
  List<String> problems(String bootstrap, String topic, Found found) {
    List<String> problems = new ArrayList<>();
    if (found.partitions() != partitions) {
      problems.add(
          "topic %s has %d partitions and must have %d: %s"
              .formatted(topic, found.partitions(), partitions, mendPartitions(bootstrap, topic)));
    }
    if (found.replicas() < replicas.count()) {
      problems.add(
          "topic %s has %d replicas and must have at least %d: kafka-reassign-partitions.sh --bootstrap-server %s, with %d brokers for each of its partitions"
              .formatted(topic, found.replicas(), replicas.count(), bootstrap, replicas.count()));
    }
    required.forEach(
        (name, value) -> {
          String is = found.settings().getOrDefault(name, "");
          if (!fits(name, value, is)) {
            problems.add(
                "topic %s has %s=%s and must have %s: kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s --add-config %s=%s"
                    .formatted(
                        topic, name, is, allowed(name, value), bootstrap, topic, name, value));
          }
        });
    return problems;
  }

  private String mendPartitions(String bootstrap, String topic) {
    return "kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d (or another cluster name, when it has more)"
        .formatted(bootstrap, topic, partitions);
  }

  private static String allowed(String name, String must) {
    Range range = RANGES.get(name);
    if (range != null) {
      return range.least() + " to " + range.most();
    }
    return hasMinimum(name) ? "at least " + must : must;
  }

  private static boolean fits(String name, String must, String is) {
    Range range = RANGES.get(name);
    if (range == null && !hasMinimum(name)) {
      return is.equals(must);
    }
    try {
      long value = Long.parseLong(is);
      return range == null
          ? value >= Long.parseLong(must)
          : value >= range.least() && value <= range.most();
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static boolean hasMinimum(String name) {
    return switch (name) {
      case TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG,
          TopicConfig.MAX_MESSAGE_BYTES_CONFIG,
          TopicConfig.DELETE_RETENTION_MS_CONFIG ->
          true;
      default -> false;
    };
  }

  /**
   * The present state of a topic.
   *
   * @param replicas replicas of the partition that has the fewest
   */
  record Found(int partitions, int replicas, Map<String, String> settings) {
    /** Copies the map. */
    Found {
      settings = Map.copyOf(settings);
    }
  }
}
