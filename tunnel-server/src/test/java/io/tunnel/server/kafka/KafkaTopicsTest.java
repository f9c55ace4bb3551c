package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.cluster.Unit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaTopicsTest {

  private final KafkaConfig config = TestKafka.config();
  private KafkaCluster cluster;
  private KafkaTopics topics;
  private Admin admin;

  @BeforeEach
  void connect() throws Exception {
    cluster = new KafkaCluster(config, TestKafka.CLOCK);
    topics = cluster.topics();
    admin = Admin.create(new ClientSettings(config).admin());
  }

  @AfterEach
  void disconnect() {
    admin.close();
    cluster.close();
  }

  @Test
  void topics_are_made_once_and_are_as_they_must_be() throws Exception {
    get(topics.openState());
    get(topics.openState());
    String tunnels = KafkaTopics.tunnels(config.cluster());
    assertThat(
            admin.describeTopics(List.of(tunnels)).allTopicNames().get().get(tunnels).partitions())
        .hasSize(Unit.TUNNEL_GROUPS);
  }

  @Test
  void a_wrong_setting_is_refused_with_what_it_is_what_it_must_be_and_the_command()
      throws Exception {
    get(topics.openState());
    String topic = KafkaTopics.catalog(config.cluster());
    TestTopics.alter(admin, topic, Map.of("cleanup.policy", "delete", "max.message.bytes", "1000"));
    assertRefused(
        topics.openState(),
        "topic " + topic + " has cleanup.policy=delete and must have compact: ",
        "kafka-configs.sh --bootstrap-server " + config.bootstrap(),
        "--alter --entity-type topics --entity-name " + topic,
        "--add-config cleanup.policy=compact",
        "has max.message.bytes=1000 and must have at least 10485760");
    TestTopics.alter(
        admin, topic, Map.of("cleanup.policy", "compact", "max.message.bytes", "99999999"));
    get(topics.openState());
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
    awaitPartitions(topic, 3);
    assertRefused(topics.openState(), "has 3 partitions and must have 1");
  }

  @Test
  void too_few_replicas_are_refused() {
    TopicSettings settings = TopicSettings.ofState(1, new KafkaConfig.Replication(3, 2));
    TopicSettings.Found found = new TopicSettings.Found(1, 1, settings.required());
    assertThat(settings.problems("b:1", "t", found))
        .singleElement()
        .asString()
        .contains("has 1 replicas and must have at least 3", "kafka-reassign-partitions.sh");
    assertThat(settings.problems("b:1", "t", new TopicSettings.Found(1, 3, settings.required())))
        .isEmpty();
  }

  private void awaitTopics(Predicate<String> allAre) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!admin.listTopics().names().get().stream().allMatch(allAre)
        && System.nanoTime() - deadline < 0) {
      // The broker learns of it a little later.
    }
    assertThat(admin.listTopics().names().get()).allMatch(allAre);
  }

  @Test
  void no_catalog_is_made_beside_a_tables_records() throws Exception {
    get(cluster.appendTopics().open(new AppendTopics.Table(1, 2)));
    get(topics.openState());
    String catalog = KafkaTopics.catalog(config.cluster());
    TestTopics.use(config, AppendTopics.log(config.cluster(), 1));
    assertLost(topics.openState(), "topic " + catalog + " has no record");
    admin.deleteTopics(List.of(catalog)).all().get();
    awaitTopics(name -> !name.equals(catalog));
    assertLost(topics.openState(), "topic " + catalog + " does not exist");
    assertThat(admin.listTopics().names().get()).as("nothing was made").doesNotContain(catalog);
  }

  @Test
  void no_tunnels_are_made_beside_a_catalog_that_says_anything() throws Exception {
    get(topics.openState());
    String tunnels = KafkaTopics.tunnels(config.cluster());
    admin.deleteTopics(List.of(tunnels)).all().get();
    awaitTopics(name -> !name.equals(tunnels));
    get(topics.openState());
    TestTopics.use(config, KafkaTopics.catalog(config.cluster()));
    get(topics.openState());
    admin.deleteTopics(List.of(tunnels)).all().get();
    awaitTopics(name -> !name.equals(tunnels));
    assertLost(topics.openState(), "topic " + tunnels + " does not exist");
    assertThat(admin.listTopics().names().get()).as("nothing was made").doesNotContain(tunnels);
  }

  private static void assertLost(CompletableFuture<Void> answer, String said) {
    assertThatThrownBy(() -> get(answer))
        .hasCauseInstanceOf(LostTopicsException.class)
        .hasMessageContaining(said);
  }

  private void awaitPartitions(String topic, int count) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    int are;
    do {
      are =
          admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
    } while (are != count && System.nanoTime() - deadline < 0);
    assertThat(are).as(topic).isEqualTo(count);
  }

  private static void assertRefused(CompletableFuture<?> answer, String... said) {
    assertThatThrownBy(() -> get(answer))
        .hasCauseInstanceOf(TopicSettingsException.class)
        .hasMessageContainingAll(said);
  }
}
