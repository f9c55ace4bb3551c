package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a real broker. */
final class StoreTailTest {

  @TempDir static Path directory;
  private static StoreBroker broker;

  private final List<Map<String, Optional<String>>> told = new CopyOnWriteArrayList<>();

  @BeforeAll
  static void start() throws IOException {
    broker = new StoreBroker(directory.resolve("broker"));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static KafkaCatalogStore open(StoreTopic topic) throws IOException {
    return KafkaCatalogStore.open(
        topic,
        topic.topic(),
        new KafkaCatalogStore.Waits(60_000, 60_000),
        System::nanoTime,
        new FakeStoreOwner().asOwner());
  }

  /** A leader of before, as patient as a busy machine needs. */
  private static Producer<String, String> zombie(StoreTopic topic) {
    Map<String, Object> settings = new HashMap<>(topic.producer(topic.topic()));
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, 60_000);
    return new KafkaProducer<>(settings);
  }

  private static Map<String, Optional<String>> changes(int number, int size) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    for (int i = 0; i < size; i++) {
      changes.put("n" + i, i % 5 == 4 ? Optional.empty() : Optional.of(String.valueOf(number)));
    }
    return changes;
  }

  private static void catchUp(StoreTail tail) throws Exception {
    CompletableFuture<Boolean> reached = new CompletableFuture<>();
    tail.catchUp(() -> reached.complete(true));
    assertThat(reached.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void
      what_is_written_together_is_told_together_and_everything_that_was_acknowledged_is_caught_up_with()
          throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    List<Map<String, Optional<String>>> written = new CopyOnWriteArrayList<>();
    try (KafkaCatalogStore store = open(topic)) {
      for (int i = 1; i < 20; i++) {
        written.add(changes(i, i));
        store.write(written.get(i - 1));
      }
      try (StoreTail tail = new StoreTail(topic, told::add)) {
        catchUp(tail);
        assertThat(told).isEqualTo(written);
        for (int i = 20; i < 40; i++) {
          written.add(changes(i, 1 + i % 17));
          store.write(written.get(i - 1));
          catchUp(tail);
          assertThat(told).isEqualTo(written);
        }
      }
    }
  }

  @Test
  void an_empty_store_is_caught_up_with() throws Exception {
    try (StoreTail tail = new StoreTail(broker.topic(Map.of()), told::add)) {
      catchUp(tail);
      assertThat(told).isEmpty();
    }
  }

  @Test
  void what_is_not_committed_is_not_told() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    try (StoreTail tail = new StoreTail(topic, told::add);
        Producer<String, String> zombie = zombie(topic)) {
      zombie.initTransactions();
      zombie.beginTransaction();
      zombie.send(new ProducerRecord<>(topic.topic(), 0, "a", "half"));
      zombie.flush();
      CompletableFuture<Boolean> reached = new CompletableFuture<>();
      tail.catchUp(() -> reached.complete(true));
      try (KafkaCatalogStore next = open(topic)) {
        assertThat(reached.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(told).isEmpty();
        next.write(Map.of("b", Optional.of("1")));
        catchUp(tail);
      }
      assertThat(told).containsExactly(Map.of("b", Optional.of("1")));
    }
  }

  @Test
  void it_goes_on_where_it_was_when_kafka_is_back() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    Map<String, String> now = new TreeMap<>();
    try (StoreTail tail = new StoreTail(topic, told::add)) {
      try (KafkaCatalogStore store = open(topic)) {
        store.write(Map.of("a", Optional.of("1")));
      }
      catchUp(tail);
      broker.broker().kill();
      CompletableFuture<Boolean> reached = new CompletableFuture<>();
      tail.catchUp(() -> reached.complete(true));
      broker.broker().restart();
      assertThat(reached.get(60, TimeUnit.SECONDS)).isTrue();
      try (KafkaCatalogStore store = open(topic)) {
        store.write(Map.of("b", Optional.of("2")));
      }
      catchUp(tail);
      told.forEach(changes -> changes.forEach((name, text) -> now.put(name, text.orElseThrow())));
      assertThat(told).hasSize(2);
      assertThat(now).isEqualTo(Map.of("a", "1", "b", "2"));
    }
  }
}
