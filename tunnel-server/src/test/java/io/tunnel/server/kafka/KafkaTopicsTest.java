package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.kafka.KafkaTopics.TableTopic;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
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
    TableTopic table = new TableTopic(3, 5, 0);
    get(topics.openTable(table));
    get(topics.openTable(table));
    get(topics.checkTables(List.of(table)));
    get(topics.checkTables(List.of()));
    String tunnels = KafkaTopics.tunnels(config.cluster());
    assertThat(
            admin.describeTopics(List.of(tunnels)).allTopicNames().get().get(tunnels).partitions())
        .hasSize(Unit.TUNNEL_GROUPS);
    assertSetting(3, "min.compaction.lag.ms", "" + Long.MAX_VALUE);
    assertSetting(3, "message.timestamp.type", "LogAppendTime");
  }

  @Test
  void the_tables_that_have_a_topic_are_found_and_those_of_other_clusters_are_not()
      throws Exception {
    KafkaConfig longer = TestKafka.config();
    assertThat(get(topics.tables())).isEmpty();
    get(topics.openState());
    get(topics.openTable(new TableTopic(3, 1, 60_000)));
    get(topics.openTable(new TableTopic(12, 1, 60_000)));
    try (KafkaCluster other = new KafkaCluster(longer, TestKafka.CLOCK)) {
      get(other.topics().openTable(new TableTopic(4, 1, 60_000)));
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while ((get(topics.tables()).size() < 2 || get(other.topics().tables()).isEmpty())
          && System.nanoTime() - deadline < 0) {
        // The broker learns of new topics a little later.
      }
      assertThat(get(topics.tables())).containsExactlyInAnyOrder(3, 12);
      assertThat(get(other.topics().tables())).containsExactly(4);
    }
  }

  @Test
  void a_tables_changes_are_kept_for_its_retention_and_a_minute_at_least() throws Exception {
    long week = TimeUnit.DAYS.toMillis(7);
    get(topics.openTable(new TableTopic(4, 1, week)));
    assertSetting(4, "min.compaction.lag.ms", "" + week);
    assertSetting(4, "delete.retention.ms", "" + week);
    get(topics.alterRetention(4, 1));
    assertSetting(4, "min.compaction.lag.ms", "60000");
    assertSetting(4, "delete.retention.ms", "86400000");
    get(topics.checkTables(List.of(new TableTopic(4, 1, 1))));
    assertRefused(topics.checkTables(List.of(new TableTopic(4, 1, week))), "at least 604800000");
    get(topics.alterRetention(4, 0));
    get(topics.checkTables(List.of(new TableTopic(4, 1, 0))));
  }

  @Test
  void a_wrong_setting_is_refused_with_what_it_is_what_it_must_be_and_the_command()
      throws Exception {
    TableTopic table = new TableTopic(5, 2, 60_000);
    get(topics.openTable(table));
    String topic = KafkaTopics.table(config.cluster(), 5);
    TestTopics.alter(admin, topic, Map.of("cleanup.policy", "delete", "max.message.bytes", "1000"));
    assertRefused(
        topics.openTable(table),
        "topic " + topic + " has cleanup.policy=delete and must have compact: ",
        "kafka-configs.sh --bootstrap-server " + config.bootstrap(),
        "--alter --entity-type topics --entity-name " + topic,
        "--add-config cleanup.policy=compact",
        "has max.message.bytes=1000 and must have at least 10485760");
    TestTopics.alter(
        admin, topic, Map.of("cleanup.policy", "compact", "max.message.bytes", "99999999"));
    get(topics.checkTables(List.of(table)));
    admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
    awaitPartitions(topic, 3);
    assertRefused(topics.checkTables(List.of(table)), "has 3 partitions and must have 2");
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

  @Test
  void a_dropped_table_has_no_topic_and_is_dropped_again_without_error() throws Exception {
    Bytes origin = get(topics.openTable(new TableTopic(6, 1, 0)));
    get(topics.dropTable(6, origin));
    get(topics.dropTable(6, origin));
    awaitTopics(topic -> !topic.equals(KafkaTopics.table(config.cluster(), 6)));
    assertThat(get(topics.checkTables(List.of(new TableTopic(6, 1, 0)))))
        .containsExactly(
            "topic "
                + KafkaTopics.table(config.cluster(), 6)
                + " does not exist, and its changes are lost");
    assertThatIllegalArgumentException().isThrownBy(() -> new TableTopic(0, 1, 0));
  }

  private void awaitTopics(Predicate<String> allAre) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!admin.listTopics().names().get().stream().allMatch(allAre)
        && System.nanoTime() - deadline < 0) {
      // The broker learns of it a little later.
    }
    assertThat(admin.listTopics().names().get()).allMatch(allAre);
  }

  private void use(String topic) throws Exception {
    try (KafkaProducer<Bytes, Bytes> producer =
        new KafkaProducer<>(
            new ClientSettings(config).producer(0),
            RecordFormat.SERIALIZER,
            RecordFormat.SERIALIZER)) {
      producer.send(new ProducerRecord<>(topic, TestTable.bytes("k"), TestTable.bytes("v"))).get();
    }
  }

  @Test
  void a_topic_with_records_is_another_tables_and_one_without_is_taken() throws Exception {
    TableTopic table = new TableTopic(8, 2, 0);
    Bytes origin = get(topics.openTable(table));
    assertThat(get(topics.openTable(table))).as("of a creation that failed").isEqualTo(origin);
    use(KafkaTopics.table(config.cluster(), 8));
    assertRefused(topics.openTable(table), "has records of another table");
  }

  @Test
  void a_topic_that_was_made_anew_is_neither_checked_nor_dropped_as_the_tables() throws Exception {
    String topic = KafkaTopics.table(config.cluster(), 9);
    Bytes origin = get(topics.openTable(new TableTopic(9, 1, 0)));
    TableTopic table = new TableTopic(9, 1, 0, Optional.of(origin));
    assertThat(get(topics.checkTables(List.of(table)))).isEmpty();
    get(topics.dropTable(9, origin));
    awaitTopics(name -> !name.equals(topic));
    Bytes other = get(topics.openTable(new TableTopic(9, 1, 0)));
    assertThat(other).isNotEqualTo(origin);
    assertThat(get(topics.checkTables(List.of(table))))
        .singleElement()
        .asString()
        .contains("was created anew: its id is " + other, "that of table 9 is " + origin);
    get(topics.dropTable(9, origin));
    assertThat(get(topics.origin(topic))).as("it is another table's").isEqualTo(other);
  }

  @Test
  void no_catalog_is_made_beside_a_tables_records() throws Exception {
    get(topics.openTable(new TableTopic(1, 2, 0)));
    get(topics.openState());
    String catalog = KafkaTopics.catalog(config.cluster());
    use(KafkaTopics.table(config.cluster(), 1));
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
    use(KafkaTopics.catalog(config.cluster()));
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

  /** Brokers learn of what was altered a little later. */
  private void assertSetting(int tableId, String name, String value) throws Exception {
    ConfigResource topic =
        new ConfigResource(ConfigResource.Type.TOPIC, KafkaTopics.table(config.cluster(), tableId));
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String is;
    do {
      is = admin.describeConfigs(List.of(topic)).all().get().get(topic).get(name).value();
    } while (!is.equals(value) && System.nanoTime() - deadline < 0);
    assertThat(is).as(name).isEqualTo(value);
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
