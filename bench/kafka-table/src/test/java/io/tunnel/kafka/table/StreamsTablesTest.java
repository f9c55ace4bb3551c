package io.tunnel.kafka.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.kafka.broker.TopicTable;
import io.tunnel.kafka.broker.TopicTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program with a real broker. */
@Tag("proof-kafka")
class StreamsTablesTest {

  private static final int HEAP_MIB = 256;
  private static final int SECONDS_MAX = 60;
  private static final int KEYS = 300;

  @TempDir static Path directory;
  private static KafkaBroker broker;
  private static Admin admin;

  @BeforeAll
  static void a_broker_runs() throws Exception {
    broker = KafkaBroker.start(directory.resolve("broker"), Map.of());
    admin =
        Admin.create(
            Map.<String, Object>of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap()));
  }

  @AfterAll
  static void it_ends() {
    admin.close();
    broker.close();
  }

  private static TopicTable start(String name) throws Exception {
    TopicTables tables = ServiceLoader.load(TopicTables.class).findFirst().orElseThrow();
    return tables.start(directory.resolve(name), broker.bootstrap(), HEAP_MIB);
  }

  /** Writes each key so often. */
  private static void write(String topic, int times) {
    Map<String, Object> settings =
        Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, broker.bootstrap());
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < KEYS * times; i++) {
        producer.send(new ProducerRecord<>(topic, "key " + i % KEYS, "value " + i));
      }
    }
  }

  private static void create(String topic, int partitions) throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
  }

  private static List<String> groups() throws Exception {
    return admin.listGroups().all().get().stream().map(group -> group.groupId()).toList();
  }

  /** The directories of RocksDB. */
  private static List<Path> stores(Path state) throws IOException {
    try (Stream<Path> files = Files.walk(state)) {
      return files.filter(file -> file.endsWith("rocksdb")).toList();
    }
  }

  @Test
  void topics_are_kept_one_after_the_other_and_nothing_else_is_written() throws Exception {
    create("first", 3);
    create("second", 1);
    Path state = directory.resolve("good").resolve("state");
    try (TopicTable table = start("good")) {
      table.follow("of-first", "first", 3);
      assertThat(table.records()).isZero();
      write("first", 2);
      table.awaitRecords(2 * KEYS, SECONDS_MAX);
      assertThat(table.records()).isEqualTo(2 * KEYS);
      assertThat(table.countRows()).isEqualTo(KEYS);
      assertThat(table.cpuNanos()).isPositive();
      assertThat(stores(state)).isNotEmpty();
      table.forget();
      assertThat(stores(state)).isEmpty();
      admin.deleteConsumerGroups(List.of("of-first")).all().get(SECONDS_MAX, TimeUnit.SECONDS);

      write("second", 1);
      table.follow("of-second", "second", 1);
      table.awaitRecords(KEYS, SECONDS_MAX);
      assertThat(table.countRows()).isEqualTo(KEYS);
      assertThat(admin.listTopics().names().get()).contains("first", "second");
      assertThat(
              admin.listTopics().names().get().stream()
                  .filter(name -> name.startsWith("of-"))
                  .collect(Collectors.toSet()))
          .as("topics with changes of a table")
          .isEmpty();
      assertThat(groups()).contains("of-second").doesNotContain("of-first");
    }
    assertThat(state).as("what an ended program kept").doesNotExist();
  }

  @Test
  void a_topic_that_is_not_there_is_said_to_be_the_trouble() throws Exception {
    try (TopicTable table = start("bad")) {
      assertThatIOException()
          .isThrownBy(() -> table.follow("of-none", "none", 1))
          .withMessageContaining("none")
          .withMessageContaining("the end of its log");
      assertThatIOException().isThrownBy(table::countRows).withMessageContaining("none");
    }
  }
}
