package io.tunnel.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.server.TestRows;
import io.tunnel.server.catalog.LogForm;
import io.tunnel.server.catalog.store.CatalogStore;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreListener;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.kafka.TestKafka;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes of both forms of log, and clusters in Kafka that one of them has founded. */
class LogFormStartTest {

  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final ClusterConfig cluster =
      new ClusterConfig(
          TestKafka.config().cluster(),
          "n1",
          Optional.empty(),
          1,
          false,
          new ClusterConfig.Log(List.of(TestKafka.broker().bootstrap()), 1, 1, 6_000, Map.of()));

  @TempDir private Path data;
  private Admin admin;

  @BeforeEach
  void connect() {
    admin = Admin.create(Map.of("bootstrap.servers", TestKafka.broker().bootstrap()));
  }

  @AfterEach
  void close() {
    admin.close();
    control.shutdownNow();
  }

  private static LogForm other(LogForm form) {
    return form == LogForm.ROWS ? LogForm.APPENDS : LogForm.ROWS;
  }

  private ClusterLog open(LogForm form) throws IOException {
    return new ClusterLog(
        ServerConfig.defaults(2),
        cluster,
        NodeThreads.one(control),
        new SystemClock(),
        data.resolve("none"),
        form);
  }

  private <T> T onControl(Callable<T> task) throws Exception {
    return control.submit(task).get(60, TimeUnit.SECONDS);
  }

  private static final class NoEvents implements StoreListener {
    @Override
    public void stored(Map<String, Optional<String>> changes) {
      throw new IllegalStateException("every write has a known outcome");
    }

    @Override
    public void fenced(FencedStoreException reason) {
      // Another node of the test leads now.
    }
  }

  private CatalogStore lead(ClusterLog log) throws Exception {
    CatalogStore store = log.openCatalog(new NoEvents());
    try {
      return onControl(
          () -> {
            log.catalogHolder().lead(store);
            return store;
          });
    } catch (Exception e) {
      store.close();
      throw e;
    }
  }

  private void createTable(ClusterLog leader) throws Exception {
    var unused =
        onControl(
            () ->
                leader
                    .catalog()
                    .createTable(
                        new TableMeta("t", TestRows.SCHEMA, TableOptions.DEFAULT), List.of(), 0));
  }

  private static void awaitFollowed(ClusterLog log) throws Exception {
    CompletableFuture<Void> followed = new CompletableFuture<>();
    log.whenCaughtUp(() -> followed.complete(null));
    followed.get(60, TimeUnit.SECONDS);
  }

  /** Ids, ends and members of all that the cluster has in Kafka. */
  private Map<String, String> kept() throws Exception {
    Map<String, String> kept = new TreeMap<>();
    List<String> names =
        admin.listTopics().names().get().stream()
            .filter(name -> name.startsWith(cluster.name() + "."))
            .toList();
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (TopicDescription topic : admin.describeTopics(names).allTopicNames().get().values()) {
      kept.put(topic.name(), topic.topicId().toString());
      topic
          .partitions()
          .forEach(
              one ->
                  asked.put(
                      new TopicPartition(topic.name(), one.partition()), OffsetSpec.latest()));
    }
    admin
        .listOffsets(asked)
        .all()
        .get()
        .forEach((partition, end) -> kept.put(partition.toString(), "ends at " + end.offset()));
    kept.put(
        "groups",
        admin.listGroups().all().get().stream()
            .map(GroupListing::groupId)
            .filter(group -> group.startsWith(cluster.name()))
            .sorted()
            .collect(Collectors.joining(" ")));
    return kept;
  }

  @ParameterizedTest
  @EnumSource(LogForm.class)
  void a_node_of_the_other_form_does_not_start_and_leaves_topics_and_group_as_they_were(
      LogForm form) throws Exception {
    try (ClusterLog founder = open(form);
        CatalogStore store = lead(founder)) {
      createTable(founder);
      assertThat(store.all()).containsKey("table/1");
    }
    Map<String, String> before = kept();
    assertThatThrownBy(() -> open(other(form)).close())
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot read the catalog: the log of this cluster has a record for")
        .hasMessageContaining("tables export")
        .hasMessageContaining("new cluster")
        .hasMessageContaining("tables import");
    assertThat(kept()).isEqualTo(before);
    assertThat(before.get("groups")).isEmpty();
    try (ClusterLog again = open(form)) {
      assertThat(again.catalog().tables()).hasSize(1);
    }
  }

  /** A start that ended before its node led the catalog leaves topics and no record. */
  @ParameterizedTest
  @EnumSource(LogForm.class)
  void a_cluster_that_nobody_founded_gets_the_form_of_its_first_leader(LogForm form)
      throws Exception {
    try (ClusterLog cutOff = open(other(form))) {
      assertThat(onControl(cutOff::objection)).isEmpty();
    }
    try (ClusterLog founder = open(form);
        CatalogStore store = lead(founder)) {
      assertThat(onControl(founder::objection)).isEmpty();
      assertThat(form.objection(store.all())).isEmpty();
      assertThat(other(form).objection(store.all())).isPresent();
    }
    assertThatThrownBy(() -> open(other(form)).close()).hasMessageContaining("tables export");
  }

  @Test
  void a_node_that_began_before_the_founding_learns_of_no_table_and_does_not_lead()
      throws Exception {
    try (ClusterLog late = open(LogForm.ROWS);
        ClusterLog founder = open(LogForm.APPENDS);
        CatalogStore store = lead(founder)) {
      createTable(founder);
      Map<String, String> founded = store.all();
      awaitFollowed(late);
      assertThat(onControl(late::objection))
          .hasValueSatisfying(text -> assertThat(text).contains("tables export"));
      assertThat(late.catalog().tables()).isEmpty();
      assertThat(late.catalog().lastPartition()).isZero();
      assertThatThrownBy(() -> lead(late)).hasMessageContaining("tables export");
      assertThat(late.catalog().isLeading()).isFalse();
      try (CatalogStore next = lead(founder)) {
        assertThat(next.all()).isEqualTo(founded);
      }
    }
  }
}
