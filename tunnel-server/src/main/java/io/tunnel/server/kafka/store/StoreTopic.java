package io.tunnel.server.kafka.store;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A partition of a compacted topic that keeps texts by name: a record's key is a name and its value
 * the text, or null once the text is removed. One write is one transaction.
 *
 * @param settings settings of every client of Kafka: the brokers, and how to authenticate
 * @param topic its {@code max.message.bytes} must be more than {@link #TEXT_BYTES_MAX}
 */
public record StoreTopic(Map<String, String> settings, String topic, int partition) {

  /**
   * Most bytes of a name with its text. The largest table has some 4 MB of bounds of its
   * partitions.
   */
  public static final int TEXT_BYTES_MAX = 8 * 1024 * 1024;

  private static final int RECORD_OVERHEAD_BYTES = 64 * 1024;

  /** Longest wait of one call of a client; a caller that can wait longer repeats the call. */
  private static final int CALL_MS = 1_000;

  private static final int REQUEST_MS = 3_000;
  private static final int DELIVERY_MS = 10_000;
  private static final int RECONNECT_MS = 50;
  private static final int RECONNECT_MS_MAX = 1_000;

  /**
   * Longest open transaction, after which Kafka aborts the transaction and fences its producer.
   * Longer than most absences of Kafka, because a writer that cannot end a transaction in time has
   * to open the store again; and not longer than brokers allow, which is
   * transaction.max.timeout.ms, by default 15 minutes.
   */
  private static final int TRANSACTION_MS = (int) TimeUnit.MINUTES.toMillis(10);

  /**
   * Long, because the next write waits for the metadata of a topic that the producer has forgotten.
   */
  private static final long METADATA_IDLE_MS = TimeUnit.DAYS.toMillis(1);

  /** Copies the settings. */
  public StoreTopic {
    settings = Map.copyOf(settings);
    Objects.requireNonNull(topic, "topic");
    if (partition < 0) {
      throw new IllegalArgumentException("a partition is at least 0, not " + partition);
    }
  }

  TopicPartition topicPartition() {
    return new TopicPartition(topic, partition);
  }

  private Map<String, Object> common() {
    Map<String, Object> all = new HashMap<>(settings);
    all.putIfAbsent(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
    all.put(ProducerConfig.RECONNECT_BACKOFF_MS_CONFIG, RECONNECT_MS);
    all.put(ProducerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MS_MAX);
    all.putIfAbsent(ProducerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    return all;
  }

  /** Settings of a transactional producer with this id. */
  public Map<String, Object> producer(String transactionalId) {
    Map<String, Object> all = common();
    all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    all.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_MS);
    all.put(ProducerConfig.ACKS_CONFIG, "all");
    all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, CALL_MS);
    all.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MS);
    all.put(ProducerConfig.METADATA_MAX_IDLE_CONFIG, METADATA_IDLE_MS);
    all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, TEXT_BYTES_MAX + RECORD_OVERHEAD_BYTES);
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, StringSerializer.class);
    return all;
  }

  /** Settings of a consumer that reads committed records only. */
  public Map<String, Object> consumer() {
    Map<String, Object> all = common();
    all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MS);
    all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, StringDeserializer.class);
    return all;
  }

  Map<String, Object> admin() {
    Map<String, Object> all = common();
    all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MS);
    return all;
  }

  /** Bytes of a change of a text. */
  static long bytes(String name, Optional<String> text) {
    return utf8Bytes(name) + text.map(StoreTopic::utf8Bytes).orElse(0L);
  }

  private static long utf8Bytes(String text) {
    return text.codePoints()
        .mapToLong(point -> point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
        .sum();
  }

  /** Names settings without their values, which may be secret. */
  @Override
  public String toString() {
    Object[] names = settings.keySet().stream().sorted().toArray();
    return topic + "-" + partition + " with " + Arrays.toString(names);
  }
}
