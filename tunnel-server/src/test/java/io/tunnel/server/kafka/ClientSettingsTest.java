package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;

/** Settings on which the behaviour of nodes depends. */
final class ClientSettingsTest {

  /** Kafka's clients ask for the metadata of a deleted topic each second while they know it. */
  @Test
  void a_producer_forgets_a_dropped_topic_within_seconds() {
    ClientSettings settings = new ClientSettings(new KafkaConfig("h:1", "c"));
    assertThat(settings.appender()).containsEntry(ProducerConfig.METADATA_MAX_IDLE_CONFIG, 10_000L);
  }
}
