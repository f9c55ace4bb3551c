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
 * A partition of a compacted topic as a place for texts by name: the key of a record is a name, its
 * value the text, or nothing when there is none any more. What was written together is one
 * transaction.
 *
 * @param settings what every client of Kafka is given: where Kafka is, and how to get in
 * @param topic its {@code max.message.bytes} must be more than {@link #TEXT_BYTES_MAX}
 */
public record StoreTopic(Map<String, String> settings, String topic, int partition) {

  /** A name with its text. The largest table has some 4 MB of bounds of its partitions. */
  public static final int TEXT_BYTES_MAX = 8 * 1024 * 1024;

  private static final int RECORD_OVERHEAD_BYTES = 64 * 1024;

  /** How long one call of a client waits; a caller that needs longer calls again. */
  private static final int CALL_MS = 1_000;

  private static final int REQUEST_MS = 3_000;
  private static final int DELIVERY_MS = 10_000;
  private static final int RECONNECT_MS = 50;
  private static final int RECONNECT_MS_MAX = 1_000;

  /**
   * How long Kafka lets a transaction be open: it then aborts it and fences its producer. Longer
   * than most absences of Kafka, or a writer that could not end one in time would have to open the
   * store anew; and not longer than brokers allow, which is 15 minutes unless
   * transaction.max.timeout.ms says otherwise.
   */
  private static final int TRANSACTION_MS = (int) TimeUnit.MINUTES.toMillis(10);

  /** The topic would be forgotten when nothing is written for a while, and a write would wait. */
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

  /** Settings of a producer that writes by transactions of this id. */
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

  /** Settings of a consumer that sees what is committed. */
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

  /** A change of the text of that name, in bytes. */
  static long bytes(String name, Optional<String> text) {
    return utf8Bytes(name) + text.map(StoreTopic::utf8Bytes).orElse(0L);
  }

  private static long utf8Bytes(String text) {
    return text.codePoints()
        .mapToLong(point -> point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
        .sum();
  }

  /** Only the names: values may be secret. */
  @Override
  public String toString() {
    Object[] names = settings.keySet().stream().sorted().toArray();
    return topic + "-" + partition + " with " + Arrays.toString(names);
  }
}
