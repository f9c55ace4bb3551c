package io.tunnel.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.TableMeta;
import io.tunnel.model.TableOptions;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.catalog.PartitionRecord;
import io.tunnel.server.catalog.TableRecord;
import io.tunnel.server.cluster.ClusterConfig;
import io.tunnel.server.cluster.Unit;
import io.tunnel.server.config.ServerConfig;
import io.tunnel.server.disk.Disks;
import io.tunnel.server.engine.SystemClock;
import io.tunnel.server.kafka.KafkaCluster;
import io.tunnel.server.kafka.KafkaConfig;
import io.tunnel.server.kafka.LostTopicsException;
import io.tunnel.server.kafka.TableTopics;
import io.tunnel.server.net.NetConfig;
import io.tunnel.server.node.ClusterEngine;
import io.tunnel.server.partition.LogTakenException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.SocketFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole node on a real broker. */
@Tag("proof-kafka")
class ClusterServerTest {

  /** What SIGTERM may take when nothing answers. */
  private static final long STOP_S_MAX = 15;

  @TempDir private Path data;
  private KafkaBroker broker;

  @BeforeEach
  void startBroker() throws IOException {
    Path directory = Files.createTempDirectory(Path.of("target"), "node-broker-");
    broker = KafkaBroker.start(directory.toAbsolutePath(), Map.of());
  }

  @AfterEach
  void stopBroker() throws IOException {
    broker.close();
  }

  /** A node, with what it stands on. */
  private record Node(Server server, ClusterEngine engine) implements Closeable {

    int storesLed() {
      return engine.storesLed();
    }

    @Override
    public void close() throws IOException {
      server.close();
    }
  }

  private Node start() throws IOException {
    return start("n1");
  }

  private Node start(String name) throws IOException {
    return start(name, 6_000);
  }

  private Node start(String name, int sessionMs) throws IOException {
    NetConfig net = new NetConfig("127.0.0.1", 0, -1, 1, 100, false);
    ServerConfig config = ServerConfig.defaults(2).withNet(net);
    ClusterConfig.Log log =
        new ClusterConfig.Log(List.of(broker.bootstrap()), 1, 1, sessionMs, Map.of());
    ClusterConfig cluster = new ClusterConfig("c", name, Optional.empty(), 1, false, log);
    AtomicReference<ClusterEngine> engine = new AtomicReference<>();
    Server server =
        new Server(
            config,
            new ServerSecurity(config.security(), data.resolve(name), Optional.of(cluster.node())),
            meters -> {
              engine.set(
                  new ClusterEngine(
                      data.resolve(name),
                      config,
                      cluster,
                      Disks.ofSystem(),
                      new ClusterEngine.Outside(meters, SocketFactory.getDefault())));
              return engine.get();
            });
    return new Node(server, engine.get());
  }

  private static void awaitLeader(Node server) {
    while (server.storesLed() < 1 + Unit.TUNNEL_GROUPS) {
      // Stores are opened one after the other.
    }
  }

  @Test
  void a_node_stops_in_time_though_kafka_is_silent() throws Exception {
    Node server = start();
    awaitLeader(server);
    try (Node other = start("n2")) {
      while (server.storesLed() == 1 + Unit.TUNNEL_GROUPS) {
        // Until the other node leads its part.
      }
      broker.suspend();
      try {
        requireStopsInTime(server);
      } finally {
        broker.resume();
      }
      awaitLeader(other);
    }
  }

  @Test
  void nodes_that_are_lost_for_long_coordinate_nothing_until_they_are_found() throws Exception {
    try (Node first = start("n1", 1_000);
        Node second = start("n2", 1_000)) {
      awaitAll(first, second);
      broker.suspend();
      try {
        while (first.storesLed() + second.storesLed() > 0) {
          // For twice the length of a session.
        }
      } finally {
        broker.resume();
      }
      awaitAll(first, second);
    }
  }

  private static void awaitAll(Node first, Node second) {
    while (first.storesLed() == 0
        || second.storesLed() == 0
        || first.storesLed() + second.storesLed() < 1 + Unit.TUNNEL_GROUPS) {
      // Until they have shared them.
    }
  }

  private static void requireStopsInTime(Node server) {
    long began = System.nanoTime();
    try {
      server.close();
    } catch (IOException e) {
      // The node may report that its last stop was not clean.
      assertThat(e.getSuppressed()).isNotEmpty();
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began))
        .isLessThan(Duration.ofSeconds(STOP_S_MAX));
  }

  @Test
  void a_topic_that_another_node_may_have_made_is_never_deleted_for_a_new_table() throws Exception {
    KafkaConfig kafka =
        new KafkaConfig(
            broker.bootstrap(),
            "c",
            new KafkaConfig.Replication(1, 1),
            KafkaConfig.Times.DEFAULT,
            "lz4",
            Map.of());
    try (KafkaCluster cluster = new KafkaCluster(kafka, new SystemClock())) {
      TableTopics tables = cluster.tables();
      TableRecord four = table(4);
      tables.create(four).get(60, TimeUnit.SECONDS);
      assertThatThrownBy(() -> tables.create(table(8)).get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(LogTakenException.class)
          .hasMessageContaining("has 4 partitions and must have 8");
      tables.create(four).get(60, TimeUnit.SECONDS);
    }
  }

  private static TableRecord table(int partitions) {
    TableMeta meta = new TableMeta("t", TestRows.SCHEMA, TableOptions.DEFAULT);
    List<PartitionRecord> parts =
        IntStream.rangeClosed(1, partitions)
            .mapToObj(id -> new PartitionRecord(id, Bytes.EMPTY, Bytes.EMPTY, List.of()))
            .toList();
    return new TableRecord(1, meta, 0, parts);
  }

  @Test
  void a_node_starts_again_on_its_directory() throws Exception {
    try (Node server = start()) {
      awaitLeader(server);
    }
    try (Node again = start()) {
      awaitLeader(again);
    }
    assertThat(data.resolve("n1").resolve("FORMAT")).exists();
    assertThat(data.resolve("n1").resolve("replicas")).exists();
  }

  private Admin admin() {
    return Admin.create(Map.of("bootstrap.servers", broker.bootstrap()));
  }

  private void delete(String topic) throws Exception {
    try (Admin admin = admin()) {
      admin.deleteTopics(List.of(topic)).all().get();
      while (admin.listTopics().names().get().contains(topic)) {
        // The broker learns of it a little later.
      }
    }
  }

  @Test
  void a_catalog_that_is_lost_is_not_made_beside_the_topics_of_tables() throws Exception {
    try (Node server = start()) {
      awaitLeader(server);
    }
    try (Admin admin = admin()) {
      admin.createTopics(List.of(new NewTopic("c.table.1", 1, (short) 1))).all().get();
    }
    try (Producer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", broker.bootstrap()),
            new StringSerializer(),
            new StringSerializer())) {
      producer.send(new ProducerRecord<>("c.table.1", "row")).get();
    }
    delete("c.catalog");
    assertThatThrownBy(this::start)
        .hasCauseInstanceOf(LostTopicsException.class)
        .hasMessageContainingAll(
            "topic c.catalog does not exist, but topics c.table.1 have records",
            "restore topic c.catalog from a backup of Kafka");
    assertThatThrownBy(() -> start("n2")).hasCauseInstanceOf(LostTopicsException.class);
    try (Admin admin = admin()) {
      assertThat(admin.listTopics().names().get())
          .contains("c.table.1", "c.tunnels")
          .doesNotContain("c.catalog");
    }
  }

  @Test
  void a_directory_of_another_catalog_is_refused_and_not_touched() throws Exception {
    try (Node server = start()) {
      awaitLeader(server);
    }
    Path identity = data.resolve("n1").resolve("replicas").resolve("identity");
    String before = Files.readString(identity);
    assertThat(before).startsWith("replicas 1\nc of kafka ").contains("\ncatalog ");
    delete("c.tunnels");
    delete("c.catalog");
    assertThatThrownBy(this::start)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(" has replicas of catalog ")
        .hasMessageContaining("so the former was lost");
    assertThat(Files.readString(identity)).isEqualTo(before);
  }

  @Test
  void each_unit_is_written_under_a_transactional_id_of_its_own() throws Exception {
    Set<String> ids =
        IntStream.range(0, Unit.TUNNEL_GROUPS)
            .mapToObj(group -> "c.tunnels-" + group)
            .collect(Collectors.toCollection(TreeSet::new));
    ids.add("c.catalog");
    try (Node server = start();
        Admin admin = admin()) {
      awaitLeader(server);
      assertThat(admin.listTransactions().all().get())
          .extracting(TransactionListing::transactionalId)
          .containsExactlyInAnyOrderElementsOf(ids);
    }
  }
}
