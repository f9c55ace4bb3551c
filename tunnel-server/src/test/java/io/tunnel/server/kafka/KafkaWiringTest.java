package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.store.StoreTopic;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** Every setting that a promise hangs on, as topics and clients are made with it. */
class KafkaWiringTest {

  private static final String DAY_MS = "86400000";

  /** Of no broker. */
  private static final KafkaConfig CONFIG =
      new KafkaConfig(
          "127.0.0.1:1",
          "c",
          KafkaConfig.Replication.DEFAULT,
          KafkaConfig.Times.DEFAULT,
          "lz4",
          Map.of());

  /** What a topic was given, without what is the broker's default. */
  private static Map<String, String> settings(KafkaConfig config, String topic) throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try (Admin admin = Admin.create(new ClientSettings(config).admin())) {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      Map<String, String> found;
      do {
        found = new TreeMap<>();
        for (ConfigEntry entry :
            admin.describeConfigs(List.of(resource)).all().get().get(resource).entries()) {
          if (entry.source() == ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG) {
            found.put(entry.name(), entry.value());
          }
        }
        // The broker learns of new topics a little later.
      } while (found.isEmpty() && System.nanoTime() - deadline < 0);
      return found;
    }
  }

  @Test
  void topics_are_made_with_these_settings_and_no_others() throws Exception {
    KafkaConfig config = TestKafka.config();
    try (KafkaCluster cluster = new KafkaCluster(config, TestKafka.CLOCK)) {
      get(cluster.topics().openState());
      get(cluster.appendTopics().open(new AppendTopics.Table(1, 1)));
    }
    Map<String, String> state =
        Map.of(
            "cleanup.policy", "compact",
            "delete.retention.ms", DAY_MS,
            "max.message.bytes", "10485760",
            "min.insync.replicas", "1",
            "segment.bytes", "16777216",
            "unclean.leader.election.enable", "false");
    assertThat(settings(config, KafkaTopics.catalog(config.cluster()))).isEqualTo(state);
    assertThat(settings(config, KafkaTopics.tunnels(config.cluster()))).isEqualTo(state);
    Map<String, String> table =
        Map.of(
            "cleanup.policy", "delete",
            "compression.type", "producer",
            "max.message.bytes", "10485760",
            "message.timestamp.type", "LogAppendTime",
            "min.insync.replicas", "1",
            "retention.bytes", "-1",
            "retention.ms", "-1",
            "segment.bytes", "67108864",
            "segment.ms", DAY_MS,
            "unclean.leader.election.enable", "false");
    assertThat(settings(config, AppendTopics.log(config.cluster(), 1))).isEqualTo(table);
    assertThat(settings(config, AppendTopics.rows(config.cluster(), 1))).isEqualTo(table);
  }

  @Test
  void a_topic_needs_as_many_copies_in_sync_as_the_cluster_says() {
    for (TopicSettings settings :
        List.of(
            TopicSettings.ofState(1, new KafkaConfig.Replication(3, 2)),
            TopicSettings.ofAppends(1, new KafkaConfig.Replication(3, 2)))) {
      assertThat(settings.required())
          .containsEntry("min.insync.replicas", "2")
          .containsEntry("unclean.leader.election.enable", "false");
      Map<String, String> unclean = new TreeMap<>(settings.required());
      unclean.put("unclean.leader.election.enable", "true");
      assertThat(settings.problems("b:1", "t", new TopicSettings.Found(1, 3, unclean)))
          .singleElement()
          .asString()
          .contains("has unclean.leader.election.enable=true and must have false");
    }
  }

  @Test
  void changes_are_written_once_and_by_all_in_sync_and_read_as_they_stand() {
    ClientSettings settings = new ClientSettings(CONFIG);
    assertThat(settings.producer())
        .containsEntry(ProducerConfig.ACKS_CONFIG, "all")
        .containsEntry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true)
        .containsEntry(ProducerConfig.LINGER_MS_CONFIG, 0)
        .doesNotContainKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    assertThat(settings.appender())
        .as("a shard's thread never waits for a producer")
        .containsEntry(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0);
    ProducerConfig made = new ProducerConfig(serialized(settings.appender()));
    assertThat(made.getInt(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION))
        .as("more would let a repeated append pass another")
        .isLessThanOrEqualTo(5);
    assertThat(made.getInt(ProducerConfig.RETRIES_CONFIG)).isEqualTo(Integer.MAX_VALUE);
    assertThat(settings.tail())
        .as("a fetch may inflate to gigabytes")
        .containsEntry(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 4)
        .containsEntry(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none")
        .containsEntry(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_uncommitted")
        .containsEntry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false)
        .containsEntry(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false)
        .doesNotContainKey(ConsumerConfig.GROUP_ID_CONFIG);
    assertThat(settings.member("g", "n1", 100))
        .containsEntry(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none")
        .containsEntry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false)
        .containsEntry(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, "n1")
        .containsEntry(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
  }

  private static Map<String, Object> serialized(Map<String, Object> settings) {
    Map<String, Object> all = new TreeMap<>(settings);
    all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    return all;
  }

  @Test
  void texts_are_written_by_transactions_of_the_unit_and_read_when_they_are_committed() {
    StoreTopic topic = new StoreTopic(Map.of("bootstrap.servers", "b:1"), "c.tunnels", 3);
    Map<String, Object> producer = topic.producer("c.tunnels-3");
    assertThat(producer)
        .containsEntry(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "c.tunnels-3")
        .containsEntry(ProducerConfig.ACKS_CONFIG, "all");
    assertThat(new ProducerConfig(producer).getBoolean(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG))
        .isTrue();
    assertThat(topic.consumer())
        .containsEntry(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed")
        .containsEntry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false)
        .containsEntry(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
    assertThat(Unit.TUNNEL_GROUPS).as("partitions of the topic of tunnels").isEqualTo(16);
  }
}
