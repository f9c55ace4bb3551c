package io.tunnel.it.process;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A topic of the nodes, looked at and changed behind their backs. */
public final class KafkaTopic implements AutoCloseable {

  /** Settings under which Kafka compacts all but its newest segment within a second. */
  private static final Map<String, String> AT_ONCE =
      Map.of(
          "min.compaction.lag.ms", "0",
          "min.cleanable.dirty.ratio", "0.001",
          "segment.ms", "200");

  private final String name;
  private final Admin admin;
  private final KafkaConsumer<byte[], byte[]> consumer;

  public KafkaTopic(KafkaProcess kafka, String name) {
    this.name = name;
    Map<String, Object> settings = Map.of("bootstrap.servers", kafka.bootstrap());
    admin = Admin.create(settings);
    ByteArrayDeserializer bytes = new ByteArrayDeserializer();
    consumer = new KafkaConsumer<>(settings, bytes, bytes);
  }

  /** The records that are left of a partition whose keys contain that text, in order. */
  public List<ConsumerRecord<byte[], byte[]>> records(int partition, String keyPart) {
    TopicPartition one = new TopicPartition(name, partition);
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    consumer.assign(List.of(one));
    long end = consumer.endOffsets(List.of(one)).get(one);
    consumer.seekToBeginning(List.of(one));
    while (consumer.position(one) < end) {
      for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofSeconds(1))) {
        String key = new String(each.key(), StandardCharsets.ISO_8859_1);
        if (key.contains(keyPart)) {
          found.add(each);
        }
      }
    }
    return found;
  }

  /**
   * Lets Kafka compact whatever the table's retention says, until that is undone.
   *
   * @return what undoes it
   */
  public AutoCloseable compactAtOnce() {
    Map<String, String> before = new TreeMap<>();
    for (ConfigEntry entry : settings()) {
      if (AT_ONCE.containsKey(entry.name())) {
        before.put(entry.name(), entry.value());
      }
    }
    set(AT_ONCE);
    return () -> set(before);
  }

  /** Which of the brokers leads a partition, as {@link KafkaProcess#broker} numbers them. */
  public int leaderOf(int partition) {
    TopicDescription described =
        get(admin.describeTopics(List.of(name)).topicNameValues().get(name));
    return described.partitions().get(partition).leader().id() - 1;
  }

  private Iterable<ConfigEntry> settings() {
    return get(admin.describeConfigs(List.of(resource())).values().get(resource())).entries();
  }

  private static <T> T get(KafkaFuture<T> answer) {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private void set(Map<String, String> settings) {
    List<AlterConfigOp> changes =
        settings.entrySet().stream()
            .map(each -> new ConfigEntry(each.getKey(), each.getValue()))
            .map(entry -> new AlterConfigOp(entry, AlterConfigOp.OpType.SET))
            .toList();
    var unused = get(admin.incrementalAlterConfigs(Map.of(resource(), changes)).all());
  }

  private ConfigResource resource() {
    return new ConfigResource(ConfigResource.Type.TOPIC, name);
  }

  @Override
  public void close() {
    consumer.close();
    admin.close();
  }
}
