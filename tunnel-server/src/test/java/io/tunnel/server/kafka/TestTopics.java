package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What an operator does to topics. */
final class TestTopics {

  private TestTopics() {}

  private static final long BROKER_SECONDS_MAX = 60;

  /** Alters settings; returns when the broker, which learns of them a little later, has them. */
  static void alter(Admin admin, String topic, Map<String, String> settings) throws Exception {
    List<AlterConfigOp> operations =
        settings.entrySet().stream()
            .map(
                one -> new AlterConfigOp(new ConfigEntry(one.getKey(), one.getValue()), OpType.SET))
            .toList();
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    admin.incrementalAlterConfigs(Map.of(resource, operations)).all().get();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(BROKER_SECONDS_MAX);
    Config now = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    while (!has(now, settings)) {
      assertThat(System.nanoTime() - deadline).as("%s, not %s", now, settings).isNegative();
      now = admin.describeConfigs(List.of(resource)).all().get().get(resource);
    }
  }

  private static boolean has(Config now, Map<String, String> settings) {
    return settings.entrySet().stream()
        .allMatch(one -> now.get(one.getKey()).value().equals(one.getValue()));
  }

  /**
   * Deletes the records before {@code offset} of the topic's only partition. The topic must have
   * the cleanup policy "delete", and a broker applies a changed policy some time after the broker
   * has acknowledged the change; until then the deletion is refused and repeated.
   */
  static void deleteBefore(Admin admin, String topic, long offset) throws Exception {
    Map<TopicPartition, RecordsToDelete> records =
        Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(offset));
    boolean isDeleted = false;
    while (!isDeleted) {
      try {
        admin.deleteRecords(records).all().get();
        isDeleted = true;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof PolicyViolationException)) {
          throw e;
        }
      }
    }
  }

  /** Gives a topic its first record. */
  static void use(KafkaConfig config, String topic) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            new ClientSettings(config).producer(),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic, new byte[] {1}, new byte[] {2})).get();
    }
  }
}
