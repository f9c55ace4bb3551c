package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.Durability;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.Asked;
import io.tunnel.server.catalog.Catalog;
import io.tunnel.server.catalog.DroppedLog;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.catalog.store.MemoryCatalogStore;
import io.tunnel.server.partition.LogTakenException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TableTopicsTest {

  private final KafkaConfig config = TestKafka.config();
  private final MemoryCatalogStore store = new MemoryCatalogStore();
  private Catalog catalog;
  private KafkaCluster cluster;
  private TableTopics tables;
  private Admin admin;

  @BeforeEach
  void connect() throws Exception {
    catalog = new Catalog(store);
    cluster = new KafkaCluster(config, TestKafka.CLOCK);
    tables = cluster.tables();
    admin = Admin.create(new ClientSettings(config).admin());
  }

  @AfterEach
  void disconnect() {
    admin.close();
    cluster.close();
  }

  private TableRecord planned(String name) {
    return catalog.planTable(
        new TableMeta(name, TestRows.SCHEMA, TableOptions.DEFAULT), List.of(), 0);
  }

  private TableRecord create(String name) throws Exception {
    TableRecord planned = planned(name);
    return catalog.createTable(planned.withOrigin(get(tables.create(planned))), Asked.NAMELESS);
  }

  private Set<String> topics() throws Exception {
    Set<String> own = new TreeSet<>(admin.listTopics().names().get());
    own.removeIf(topic -> !topic.startsWith(config.cluster() + "."));
    return own;
  }

  private void awaitTopics(String... names) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!topics().equals(Set.of(names))) {
      // The broker lists a deleted topic for a moment.
      assertThat(System.nanoTime() - deadline).as("topics are %s", topics()).isNegative();
    }
  }

  private String log(int table) {
    return AppendTopics.log(config.cluster(), table);
  }

  private String rows(int table) {
    return AppendTopics.rows(config.cluster(), table);
  }

  @Test
  void a_table_has_two_topics_whose_ids_are_its_origin_and_the_catalog_keeps_it() throws Exception {
    TableRecord table = create("t");
    assertThat(topics()).containsExactly(log(1), rows(1));
    TableOrigin origin = TableOrigin.of(table.origin().orElseThrow());
    assertThat(origin.log()).isEqualTo(get(cluster.topics().origin(log(1))));
    assertThat(origin.rows()).isEqualTo(get(cluster.topics().origin(rows(1))));
    assertThat(new Catalog(store).table("t")).isEqualTo(table);
    assertThat(get(tables.tables())).containsExactly(1);
    assertThat(get(tables.check(List.of(table)))).isEmpty();
  }

  /** A leader that ends before it writes the table leaves topics without records. */
  @Test
  void a_creation_that_never_came_into_the_catalog_leaves_topics_that_the_next_one_takes()
      throws Exception {
    Optional<Bytes> left = get(tables.create(planned("t")));
    assertThat(create("other").origin()).isEqualTo(left);
    assertThat(topics()).containsExactly(log(1), rows(1));
  }

  @Test
  void topics_with_records_are_another_tables_and_stay() throws Exception {
    Optional<Bytes> left = get(tables.create(planned("t")));
    TestTopics.use(config, rows(1));
    assertThatThrownBy(() -> get(tables.create(planned("t"))))
        .hasCauseInstanceOf(LogTakenException.class)
        .hasMessageContaining("topic " + rows(1) + " has records of another table");
    TableOrigin origin = TableOrigin.of(left.orElseThrow());
    assertThat(origin.log()).isEqualTo(get(cluster.topics().origin(log(1))));
  }

  @Test
  void a_longer_and_a_shorter_retention_change_nothing_in_kafka() throws Exception {
    TableRecord table = create("t");
    for (long ms : new long[] {0, 1_000, TimeUnit.DAYS.toMillis(900)}) {
      assertThat(tables.alter(table, new TableOptions(Durability.OS, ms, 0))).isCompleted();
    }
    assertThat(get(tables.check(List.of(table)))).isEmpty();
  }

  @Test
  void the_note_of_a_dropped_table_names_both_topics_and_deletes_no_other() throws Exception {
    TableRecord table = create("t");
    catalog.dropTable(table, true, Asked.NAMELESS);
    DroppedLog left = new Catalog(store).droppedLogs().get(0);
    assertThat(left).isEqualTo(DroppedLog.of(table));
    // The leader ended after it deleted one of the two.
    get(cluster.topics().drop(log(1), TableOrigin.of(left.origin()).log()));
    awaitTopics(rows(1));
    get(tables.create(table));
    get(tables.drop(left));
    awaitTopics(log(1));
    get(tables.drop(left));
    assertThat(topics()).as("made anew, so its id is another").containsExactly(log(1));
  }

  @Test
  void a_dropped_table_loses_both_topics() throws Exception {
    TableRecord kept = create("kept");
    get(tables.drop(create("t")));
    awaitTopics(log(kept.tableId()), rows(kept.tableId()));
  }

  @Test
  void a_topic_that_was_made_anew_is_lost_and_a_topic_with_a_wrong_setting_is_not()
      throws Exception {
    TableRecord altered = create("altered");
    TableRecord replaced = create("replaced");
    TestTopics.alter(admin, log(1), Map.of("retention.ms", "1000"));
    assertThat(get(tables.lost(List.of(altered, replaced)))).isEmpty();
    get(cluster.topics().drop(rows(2), TableOrigin.of(replaced.origin().orElseThrow()).rows()));
    awaitTopics(log(1), rows(1), log(2));
    assertThat(get(tables.lost(List.of(altered, replaced))))
        .containsExactly("topic " + rows(2) + " does not exist, and its changes are lost");
    get(tables.create(replaced));
    assertThat(get(tables.lost(List.of(altered, replaced))))
        .singleElement()
        .satisfies(one -> assertThat(one).startsWith("topic " + rows(2) + " was created again"));
  }

  @Test
  void the_problems_of_a_table_reach_the_claims_of_its_partitions() throws Exception {
    TableRecord whole = create("whole");
    TableRecord broken = create("broken");
    TestTopics.alter(admin, log(2), Map.of("retention.ms", "1000"));
    String problem = "topic " + log(2) + " has retention.ms=1000 and must have -1";
    assertThat(get(tables.check(List.of(whole, broken))))
        .singleElement()
        .satisfies(one -> assertThat(one).startsWith(problem));
    var claims = cluster.topicProblems(new TopicPlaces(catalog, () -> 0));
    assertThat(get(claims.of(whole.partitions().get(0).id()))).isEmpty();
    assertThat(get(claims.of(broken.partitions().get(0).id())).orElseThrow()).startsWith(problem);
  }
}
