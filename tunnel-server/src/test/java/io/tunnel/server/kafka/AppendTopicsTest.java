package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.AppendTopics.Table;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AppendTopicsTest {

  private final KafkaConfig config = TestKafka.config();
  private KafkaCluster cluster;
  private AppendTopics topics;
  private Admin admin;

  @BeforeEach
  void connect() throws Exception {
    cluster = new KafkaCluster(config, TestKafka.CLOCK);
    topics = cluster.appendTopics();
    admin = Admin.create(new ClientSettings(config).admin());
  }

  @AfterEach
  void disconnect() {
    admin.close();
    cluster.close();
  }

  private String log(int table) {
    return AppendTopics.log(config.cluster(), table);
  }

  private String rows(int table) {
    return AppendTopics.rows(config.cluster(), table);
  }

  private Table open(int tableId, int partitions) throws Exception {
    return new Table(
        tableId, partitions, Optional.of(get(topics.open(new Table(tableId, partitions)))));
  }

  private void delete(String topic) throws Exception {
    admin.deleteTopics(List.of(topic)).all().get();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (admin.listTopics().names().get().contains(topic)) {
      // The broker learns of it a little later.
      assertThat(System.nanoTime() - deadline).isNegative();
    }
  }

  @Test
  void both_topics_of_a_table_are_made_once_and_are_as_they_must_be() throws Exception {
    Table table = open(3, 5);
    assertThat(open(3, 5)).isEqualTo(table);
    assertThat(get(topics.problems(List.of(table)))).isEmpty();
    assertThat(get(topics.problems(List.of()))).isEmpty();
    for (String topic : List.of(log(3), rows(3))) {
      assertThat(admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions())
          .hasSize(5);
    }
  }

  /** A creation that ends between the two topics; whichever was first, it had no record. */
  @Test
  void a_creation_that_was_cut_off_between_the_topics_is_completed_by_the_next() throws Exception {
    Table table = open(4, 2);
    for (String left : List.of(log(4), rows(4))) {
      delete(left);
      Table again = open(4, 2);
      assertThat(again.origin()).isNotEqualTo(table.origin());
      assertThat(get(topics.problems(List.of(again)))).isEmpty();
      table = again;
    }
  }

  @Test
  void a_topic_with_records_is_another_tables() throws Exception {
    for (int id : new int[] {5, 6}) {
      Table table = open(id, 1);
      String used = id == 5 ? log(id) : rows(id);
      TestTopics.use(config, used);
      assertThatThrownBy(() -> get(topics.open(new Table(id, 1))))
          .hasCauseInstanceOf(TopicSettingsException.class)
          .hasMessageContaining("topic " + used + " has records of another table");
      assertThat(get(topics.problems(List.of(table)))).isEmpty();
    }
  }

  @Test
  void a_setting_that_an_operator_broke_is_named_with_its_topic_and_table_and_the_command()
      throws Exception {
    Table whole = open(7, 1);
    Table broken = open(8, 1);
    TestTopics.alter(
        admin,
        log(8),
        Map.of("retention.ms", "604800000", "segment.bytes", "1073741824", "segment.ms", "600000"));
    TestTopics.alter(admin, rows(8), Map.of("cleanup.policy", "compact"));
    Map<Integer, List<String>> problems = get(topics.problems(List.of(whole, broken)));
    assertThat(problems).containsOnlyKeys(8);
    assertThat(problems.get(8))
        .satisfiesExactlyInAnyOrder(
            problem ->
                assertThat(problem)
                    .startsWith(
                        "topic " + log(8) + " has retention.ms=604800000 and must have -1: ")
                    .contains("kafka-configs.sh", "--add-config retention.ms=-1"),
            problem ->
                assertThat(problem)
                    .contains(log(8), "segment.bytes=1073741824", "67108864 to 134217728"),
            problem -> assertThat(problem).contains(log(8), "segment.ms=600000", "3600000 to"),
            problem ->
                assertThat(problem)
                    .contains(rows(8), "cleanup.policy=compact and must have delete"));
    TestTopics.alter(
        admin,
        log(8),
        Map.of("retention.ms", "-1", "segment.bytes", "134217728", "segment.ms", "3600000"));
    TestTopics.alter(admin, rows(8), Map.of("cleanup.policy", "delete"));
    assertThat(get(topics.problems(List.of(whole, broken)))).isEmpty();
  }

  @Test
  void every_setting_that_the_rule_needs_is_checked() {
    TopicSettings settings = TopicSettings.ofAppends(1, new KafkaConfig.Replication(3, 2));
    assertThat(settings.required())
        .containsOnlyKeys(
            "cleanup.policy",
            "max.message.bytes",
            "message.timestamp.type",
            "min.insync.replicas",
            "retention.bytes",
            "retention.ms",
            "segment.bytes",
            "segment.ms",
            "unclean.leader.election.enable");
    assertThat(settings.given()).containsEntry("compression.type", "producer");
    for (String name : settings.required().keySet()) {
      Map<String, String> found = new HashMap<>(settings.required());
      assertThat(settings.problems("b:1", "t", new TopicSettings.Found(1, 3, found))).isEmpty();
      found.put(name, "1");
      assertThat(settings.problems("b:1", "t", new TopicSettings.Found(1, 3, found)))
          .singleElement()
          .asString()
          .contains("topic t has " + name + "=1 and must have ");
    }
  }

  @Test
  void a_topic_that_is_lost_or_made_anew_is_named() throws Exception {
    Table table = open(9, 1);
    delete(rows(9));
    assertThat(get(topics.problems(List.of(table))))
        .isEqualTo(
            Map.of(9, List.of("topic " + rows(9) + " does not exist, and its changes are lost")));
    Table anew = open(9, 1);
    assertThat(get(topics.problems(List.of(table))).get(9))
        .singleElement()
        .asString()
        .contains("topic " + rows(9) + " was created again");
    assertThat(get(topics.problems(List.of(anew)))).isEmpty();
  }

  @Test
  void a_drop_that_was_cut_off_between_the_topics_is_completed_by_the_next() throws Exception {
    for (int id : new int[] {10, 11}) {
      Table table = open(id, 1);
      Bytes origin = table.origin().orElseThrow();
      delete(id == 10 ? log(id) : rows(id));
      assertThat(get(topics.tables())).as("the other is left").contains(id);
      get(topics.drop(id, origin));
      get(topics.drop(id, origin));
      awaitGone(id);
    }
  }

  private void awaitGone(int id) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (get(topics.tables()).contains(id)) {
      assertThat(System.nanoTime() - deadline).isNegative();
    }
  }

  @Test
  void a_drop_leaves_topics_that_were_made_anew_under_the_names() throws Exception {
    Table former = open(12, 1);
    get(topics.drop(12, former.origin().orElseThrow()));
    awaitGone(12);
    Table now = open(12, 1);
    get(topics.drop(12, former.origin().orElseThrow()));
    assertThat(get(topics.problems(List.of(now)))).isEmpty();
  }

  @Test
  void the_tables_that_have_a_topic_are_found_and_no_catalog_is_made_beside_their_records()
      throws Exception {
    open(13, 1);
    open(14, 1);
    delete(log(14));
    assertThat(get(topics.tables())).isEqualTo(Set.of(13, 14));
    TestTopics.use(config, rows(13));
    assertThatThrownBy(() -> get(cluster.topics().openState()))
        .hasCauseInstanceOf(LostTopicsException.class)
        .hasMessageContaining("topics " + rows(13) + " have records");
  }

  @Test
  void an_origin_has_the_ids_of_both_topics() {
    Bytes log = Bytes.copyOf(new byte[16]);
    Bytes rows = Bytes.copyOf(new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    TableOrigin origin = new TableOrigin(log, rows);
    assertThat(TableOrigin.of(origin.bytes())).isEqualTo(origin);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Table(1, 1, Optional.of(rows)))
        .withMessageContaining("32 bytes, not 16");
  }
}
