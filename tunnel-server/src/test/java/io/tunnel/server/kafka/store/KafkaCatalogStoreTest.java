package io.tunnel.server.kafka.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.ErrorCode;
import io.tunnel.model.RefusedException;
import io.tunnel.server.catalog.store.FencedStoreException;
import io.tunnel.server.catalog.store.StoreUnavailableException;
import io.tunnel.server.catalog.store.UnknownOutcomeException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a real broker. */
@Tag("proof-kafka")
final class KafkaCatalogStoreTest {

  private static final String ID = "unit";
  private static final KafkaCatalogStore.Waits PATIENT =
      new KafkaCatalogStore.Waits(60_000, 60_000);
  private static final KafkaCatalogStore.Waits HASTY = new KafkaCatalogStore.Waits(60_000, 300);

  @TempDir static Path directory;
  private static StoreBroker broker;

  private final FakeStoreOwner owner = new FakeStoreOwner();

  @BeforeAll
  static void start() throws IOException {
    broker = new StoreBroker(directory.resolve("broker"));
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static KafkaCatalogStore open(
      StoreTopic topic, KafkaCatalogStore.Waits waits, FakeStoreOwner owner) throws IOException {
    return KafkaCatalogStore.open(
        topic, ID + topic.topic(), waits, System::nanoTime, owner.asOwner());
  }

  private static Map<String, String> reopened(StoreTopic topic) throws IOException {
    try (KafkaCatalogStore store = open(topic, PATIENT, new FakeStoreOwner())) {
      return store.all();
    }
  }

  private static Map<String, Optional<String>> put(String... namesAndTexts) {
    Map<String, Optional<String>> changes = new LinkedHashMap<>();
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      changes.put(namesAndTexts[i], Optional.of(namesAndTexts[i + 1]));
    }
    return changes;
  }

  @Test
  void what_was_written_is_there_when_it_is_opened_again() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    try (KafkaCatalogStore store = open(topic, PATIENT, owner)) {
      assertThat(store.all()).isEmpty();
      store.write(put("a", "1", "b", "2", "ü/\uD83D\uDE00", ""));
      Map<String, Optional<String>> more = put("a", "3");
      more.put("b", Optional.empty());
      more.put("never", Optional.empty());
      store.write(more);
      store.write(Map.of());
      assertThat(store.all()).isEqualTo(Map.of("a", "3", "ü/\uD83D\uDE00", ""));
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("a", "3", "ü/\uD83D\uDE00", ""));
  }

  @Test
  void ten_thousand_texts_are_read_back() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    Map<String, String> all = new TreeMap<>();
    try (KafkaCatalogStore store = open(topic, PATIENT, owner)) {
      for (int i = 0; i < 10; i++) {
        Map<String, Optional<String>> changes = new LinkedHashMap<>();
        for (int j = 0; j < 1_000; j++) {
          changes.put("checkpoint/" + i + "/" + j, Optional.of(String.valueOf(i * j)));
          all.put("checkpoint/" + i + "/" + j, String.valueOf(i * j));
        }
        store.write(changes);
      }
    }
    assertThat(reopened(topic)).isEqualTo(all);
  }

  @Test
  void a_leader_that_was_replaced_can_write_nothing_and_is_told() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    try (KafkaCatalogStore stale = open(topic, PATIENT, owner)) {
      stale.write(put("a", "1"));
      try (KafkaCatalogStore next = open(topic, PATIENT, new FakeStoreOwner())) {
        assertThat(next.all()).isEqualTo(Map.of("a", "1"));
        assertThatThrownBy(() -> stale.write(put("a", "2", "b", "2")))
            .isInstanceOf(FencedStoreException.class);
        assertThatThrownBy(() -> stale.write(put("c", "2")))
            .isInstanceOf(FencedStoreException.class);
        owner.awaitTold();
        owner.listen();
        assertThat(owner.fences).hasSize(1);
        next.write(put("b", "3"));
        assertThat(next.all()).isEqualTo(Map.of("a", "1", "b", "3"));
      }
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("a", "1", "b", "3"));
  }

  @Test
  void what_a_leader_had_begun_when_it_was_replaced_is_never_seen() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    open(topic, PATIENT, owner).close();
    try (Producer<String, String> zombie =
        new KafkaProducer<>(topic.producer(ID + topic.topic()))) {
      zombie.initTransactions();
      zombie.beginTransaction();
      zombie.send(new ProducerRecord<>(topic.topic(), 0, "a", "half"));
      zombie.flush();
      try (KafkaCatalogStore next = open(topic, PATIENT, owner)) {
        assertThat(next.all()).isEmpty();
        next.write(put("b", "1"));
        assertThatThrownBy(
                () -> {
                  zombie.send(new ProducerRecord<>(topic.topic(), 0, "a", "late"));
                  zombie.commitTransaction();
                })
            .isInstanceOf(KafkaException.class);
      }
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("b", "1"));
  }

  @Test
  void a_write_that_kafka_does_not_answer_in_time_is_told_when_it_is_stored_after_all()
      throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    try (KafkaCatalogStore store = open(topic, HASTY, owner)) {
      writeOnce(store, put("a", "0"));
      broker.broker().suspend();
      try {
        assertThatThrownBy(() -> store.write(put("a", "1", "b", "1")))
            .isInstanceOf(UnknownOutcomeException.class)
            .hasMessageContaining("did not answer within 300 ms");
        assertThatThrownBy(() -> store.write(put("c", "2")))
            .isExactlyInstanceOf(StoreUnavailableException.class)
            .hasMessageContaining("earlier write");
      } finally {
        broker.broker().resume();
      }
      owner.awaitWaiting();
      assertThatThrownBy(() -> store.write(put("c", "2")))
          .as("not before the owner has taken over what was stored")
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("earlier write");
      owner.awaitTold();
      assertThat(owner.stored).containsExactly(put("a", "1", "b", "1"));
      writeOnce(store, put("c", "2"));
      assertThat(store.all()).isEqualTo(Map.of("a", "1", "b", "1", "c", "2"));
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("a", "1", "b", "1", "c", "2"));
    assertThat(owner.fences).isEmpty();
  }

  /** Writes, with an owner that has as little patience as its store but does not give up. */
  private void writeOnce(KafkaCatalogStore store, Map<String, Optional<String>> changes)
      throws Exception {
    int before = owner.stored.size();
    while (owner.stored.size() == before) {
      try {
        store.write(changes);
        return;
      } catch (StoreUnavailableException e) {
        owner.listen();
      }
    }
  }

  @Test
  void what_the_owner_knows_is_what_is_stored_when_kafka_is_killed_in_the_middle()
      throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    Map<String, String> known = new TreeMap<>();
    try (KafkaCatalogStore store = open(topic, HASTY, owner)) {
      int refused = 0;
      for (int i = 0; i < 40 || !known.containsKey("last"); i++) {
        if (i == 10) {
          broker.broker().kill();
        } else if (i == 30) {
          broker.broker().restart();
        }
        Map<String, Optional<String>> changes =
            i < 40 ? put("n" + i, "x", "sum", String.valueOf(i)) : put("last", "x");
        try {
          store.write(changes);
          changes.forEach((name, text) -> known.put(name, text.orElseThrow()));
        } catch (StoreUnavailableException e) {
          refused++;
        }
        int before = owner.stored.size();
        owner.listen();
        owner
            .stored
            .subList(before, owner.stored.size())
            .forEach(late -> late.forEach((name, text) -> known.put(name, text.orElseThrow())));
      }
      assertThat(refused).isPositive();
      assertThat(store.all()).isEqualTo(known);
    }
    assertThat(reopened(topic)).isEqualTo(known);
  }

  @Test
  void a_store_that_cannot_be_opened_in_time_says_so() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    broker.broker().suspend();
    try {
      assertThatThrownBy(() -> open(topic, new KafkaCatalogStore.Waits(500, 500), owner))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining(topic.topic());
    } finally {
      broker.broker().resume();
    }
  }

  @Test
  void a_text_may_be_as_large_as_the_limit_and_no_larger() throws Exception {
    StoreTopic topic = broker.topic(Map.of("max.message.bytes", "10485760"));
    String most = "x".repeat(StoreTopic.TEXT_BYTES_MAX - 1);
    try (KafkaCatalogStore store = open(topic, PATIENT, owner)) {
      store.write(put("n", most));
      assertThatThrownBy(() -> store.write(put("n", most + "y")))
          .isInstanceOfSatisfying(
              RefusedException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST));
      assertThatThrownBy(() -> store.write(put("ü", most))).isInstanceOf(RefusedException.class);
      store.write(put("m", "1"));
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("n", most, "m", "1"));
  }

  @Test
  void a_text_that_the_topic_does_not_take_is_not_stored_and_the_next_is() throws Exception {
    StoreTopic topic = broker.topic(Map.of("max.message.bytes", "2000"));
    try (KafkaCatalogStore store = open(topic, PATIENT, owner)) {
      assertThatThrownBy(() -> store.write(put("a", "1", "n", "x".repeat(3_000))))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("nothing could be stored");
      store.write(put("m", "1"));
    }
    assertThat(reopened(topic)).isEqualTo(Map.of("m", "1"));
  }

  @Test
  void compaction_leaves_the_latest() throws Exception {
    StoreTopic topic =
        broker.topic(
            Map.of(
                "segment.ms", "100",
                "min.cleanable.dirty.ratio", "0.001",
                "min.compaction.lag.ms", "0",
                "delete.retention.ms", "0"));
    int written = 0;
    try (KafkaCatalogStore store = open(topic, PATIENT, owner)) {
      store.write(put("gone", "1", "kept", "1"));
      Map<String, Optional<String>> removal = new LinkedHashMap<>();
      removal.put("gone", Optional.empty());
      store.write(removal);
      // Counting takes a moment, in which a segment comes of age.
      while (written < 20 || count(topic) > written) {
        store.write(put("a", String.valueOf(written), "b", String.valueOf(written)));
        written++;
      }
      assertThat(store.all())
          .isEqualTo(Map.of("kept", "1", "a", "" + (written - 1), "b", "" + (written - 1)));
    }
    assertThat(reopened(topic))
        .isEqualTo(Map.of("kept", "1", "a", "" + (written - 1), "b", "" + (written - 1)));
  }

  /** Records that are left. */
  private static int count(StoreTopic topic) {
    int count = 0;
    try (Consumer<String, String> consumer = new KafkaConsumer<>(topic.consumer())) {
      consumer.assign(java.util.List.of(topic.topicPartition()));
      consumer.seekToBeginning(java.util.List.of(topic.topicPartition()));
      long end =
          consumer.endOffsets(java.util.List.of(topic.topicPartition())).values().iterator().next();
      while (consumer.position(topic.topicPartition()) < end) {
        count += consumer.poll(Duration.ofMillis(100)).count();
      }
    }
    return count;
  }

  @Test
  void a_closed_store_refuses() throws Exception {
    StoreTopic topic = broker.topic(Map.of());
    KafkaCatalogStore store = open(topic, PATIENT, owner);
    store.close();
    store.close();
    assertThatThrownBy(() -> store.write(put("a", "1"))).isInstanceOf(IOException.class);
  }
}
