package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** A Kafka that gives no block. */
class KafkaBlockReadingTest {

  private static final TopicPartition TOPIC = new TopicPartition("c.rows.1", 0);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");

  /** Each look at the clock is a second after the look before. */
  private KafkaBlockReading reading() {
    AtomicLong nanos = new AtomicLong();
    consumer.updateBeginningOffsets(Map.of(TOPIC, 0L));
    consumer.updateEndOffsets(Map.of(TOPIC, 5L));
    return new KafkaBlockReading(
        1,
        () -> consumer,
        () -> Optional.of(TOPIC),
        KafkaConfig.Times.DEFAULT,
        () -> nanos.addAndGet(TimeUnit.SECONDS.toNanos(1)));
  }

  @Test
  void a_broker_that_gives_nothing_for_the_time_of_a_delivery_is_away() {
    try (KafkaBlockReading reading = reading()) {
      assertThatThrownBy(() -> reading.read(2))
          .isInstanceOf(LogUnavailableException.class)
          .hasMessage("Kafka gave no block of c.rows.1-0 from offset 2 on within 10000 ms");
    }
  }

  @Test
  void an_answer_that_does_not_come_in_time_is_told_apart_from_a_refusal() {
    consumer.setPollException(new TimeoutException("no answer"));
    try (KafkaBlockReading reading = reading()) {
      assertThatThrownBy(() -> reading.read(0))
          .isInstanceOf(LogUnavailableException.class)
          .hasMessage("Kafka did not give blocks of a snapshot: no answer");
    }
  }

  @Test
  void a_user_without_a_right_is_refused() {
    consumer.setPollException(new TopicAuthorizationException("no right"));
    try (KafkaBlockReading reading = reading()) {
      assertThatThrownBy(() -> reading.read(0))
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(LogUnavailableException.class)
          .hasMessageStartingWith("Kafka refused to give blocks of a snapshot: no right");
    }
  }
}
