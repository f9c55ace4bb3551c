package io.tunnel.server.kafka;

import io.tunnel.server.kafka.members.PlacementAssignor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The settings of Kafka's clients, by purpose. */
public final class ClientSettings {

  /** Bytes of the largest record: a change of the largest row, with that row before and after. */
  static final int RECORD_BYTES_MAX = 10 * 1024 * 1024;

  /**
   * Milliseconds without an append after which a producer forgets a topic, at its next look at the
   * metadata. Until then the producer warns each second of a topic that was dropped. The next
   * append to a forgotten topic waits for one answer of a broker.
   */
  private static final long METADATA_IDLE_MS = TimeUnit.SECONDS.toMillis(10);

  private static final int SEND_BYTES = 256 * 1024;

  /** Bytes that an appender allocates for each partition, however small an append is. */
  private static final int PROMPT_BYTES = 32 * 1024;

  /** Most unsent bytes of one producer. */
  private static final long UNSENT_BYTES_MAX = 32L * 1024 * 1024;

  /** Most compressed bytes of one answer of a broker; a second answer may wait in the client. */
  private static final int FETCH_BYTES_MAX = 4 * 1024 * 1024;

  private static final int FETCH_PARTITION_BYTES_MAX = 1024 * 1024;

  /**
   * Most appends of one poll, of {@link #RECORD_BYTES_MAX} bytes at most each. A fetch of a few
   * megabytes can inflate to gigabytes, and the client has no limit of inflated bytes: it inflates
   * as many records as a poll returns.
   */
  private static final int POLL_APPENDS_MAX = 4;

  private static final int FETCH_WAIT_MS = 500;
  private static final int RECONNECT_MS = 50;
  private static final int RECONNECT_MS_MAX = 1_000;

  private final KafkaConfig config;

  /** Settings of a node with this configuration. */
  public ClientSettings(KafkaConfig config) {
    this.config = config;
  }

  /** The settings that the server chooses itself, because its guarantees depend on their values. */
  static final class Owned {
    private static final Set<String> NAMES =
        Set.of(
            CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
            CommonClientConfigs.CLIENT_ID_CONFIG,
            CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG,
            AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
            CommonClientConfigs.GROUP_ID_CONFIG,
            CommonClientConfigs.GROUP_INSTANCE_ID_CONFIG,
            CommonClientConfigs.SESSION_TIMEOUT_MS_CONFIG,
            CommonClientConfigs.HEARTBEAT_INTERVAL_MS_CONFIG,
            CommonClientConfigs.MAX_POLL_INTERVAL_MS_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
            ConsumerConfig.CHECK_CRCS_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
            ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
            ProducerConfig.ACKS_CONFIG,
            ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
            ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
            ProducerConfig.RETRIES_CONFIG,
            ProducerConfig.TRANSACTIONAL_ID_CONFIG,
            ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
            ProducerConfig.LINGER_MS_CONFIG,
            ProducerConfig.MAX_BLOCK_MS_CONFIG,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            ProducerConfig.PARTITIONER_CLASS_CONFIG);

    private Owned() {}

    static boolean is(String name) {
      return NAMES.contains(name);
    }
  }

  private Map<String, Object> common() {
    Map<String, Object> settings = new HashMap<>(config.properties());
    settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, config.bootstrap());
    settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, config.times().requestMs());
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MS_CONFIG, RECONNECT_MS);
    settings.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MS_MAX);
    settings.putIfAbsent(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    return settings;
  }

  /**
   * Refuses settings that a client would refuse; some clients are made only later.
   *
   * @throws org.apache.kafka.common.config.ConfigException names the setting and the error
   */
  void requireValid() {
    Map<String, Object> producer = producer();
    producer.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    producer.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    new ProducerConfig(producer);
    Map<String, Object> consumer = tail();
    consumer.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    consumer.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    new ConsumerConfig(consumer);
  }

  /** For a client that asks for topics, groups and offsets. */
  public Map<String, Object> admin() {
    Map<String, Object> settings = common();
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, config.times().deliveryMs());
    return settings;
  }

  /**
   * For an idempotent producer, which sends each record at once: records that the client sends
   * again are in the log once and in order.
   */
  Map<String, Object> producer() {
    Map<String, Object> settings = common();
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, config.times().deliveryMs());
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, config.times().requestMs());
    settings.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, config.compression());
    settings.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, METADATA_IDLE_MS);
    settings.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, RECORD_BYTES_MAX);
    settings.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, SEND_BYTES);
    settings.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, UNSENT_BYTES_MAX);
    return settings;
  }

  /**
   * For a {@link #producer} whose send never blocks, neither for the metadata of a topic nor for
   * buffer space: it refuses the record, and the caller retries.
   */
  Map<String, Object> appender() {
    Map<String, Object> settings = producer();
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    if (!config.properties().containsKey(ProducerConfig.BATCH_SIZE_CONFIG)) {
      settings.put(ProducerConfig.BATCH_SIZE_CONFIG, PROMPT_BYTES);
    }
    return settings;
  }

  /** The buffer of a producer with these settings. */
  static BrokerShares.Buffer buffer(Map<String, Object> producer) {
    return new BrokerShares.Buffer(
        number(producer, ProducerConfig.BUFFER_MEMORY_CONFIG),
        number(producer, ProducerConfig.BATCH_SIZE_CONFIG));
  }

  private static long number(Map<String, Object> settings, String name) {
    // Kafka accepts a number with spaces around it, as a file of properties may have it.
    return Long.parseLong(String.valueOf(settings.get(name)).trim());
  }

  /** For a consumer that gets new appends at once. */
  Map<String, Object> tail() {
    Map<String, Object> settings = common();
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted");
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, POLL_APPENDS_MAX);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, config.times().deliveryMs());
    settings.putIfAbsent(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1);
    settings.putIfAbsent(
        ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
        Math.min(FETCH_WAIT_MS, config.times().requestMs() / 2));
    settings.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES_MAX);
    settings.putIfAbsent(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_PARTITION_BYTES_MAX);
    return settings;
  }

  /** For a member of the group of nodes, under the name of its node. */
  public Map<String, Object> member(String group, String name, int heartbeatMs) {
    Map<String, Object> settings = common();
    int sessionMs = config.times().sessionMs();
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    settings.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, name);
    settings.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
    settings.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG, List.of(PlacementAssignor.class));
    settings.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionMs);
    settings.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, heartbeatMs);
    // The group also waits as long for a member that does not join.
    settings.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, sessionMs);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, config.times().deliveryMs());
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    return settings;
  }
}
