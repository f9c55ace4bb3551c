package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Bytes;
import io.tunnel.server.replica.SharedLog.Entry;
import io.tunnel.server.replica.SharedLog.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class KafkaAppenderTest {

  private static final TopicPartition TO = new TopicPartition("table", 0);

  private final MockProducer<Bytes, Bytes> prompt = producer();
  private final MockProducer<Bytes, Bytes> gathering = producer();

  private static MockProducer<Bytes, Bytes> producer() {
    return new MockProducer<>(true, null, RecordFormat.SERIALIZER, RecordFormat.SERIALIZER);
  }

  private static List<Entry> entries(int count) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Bytes key = Bytes.copyOf(new byte[] {(byte) i, (byte) (i >> 8)});
      entries.add(new Entry(Kind.CHANGE, key, 7, 1 + i, Optional.empty()));
    }
    return entries;
  }

  private static void append(KafkaAppender appender, List<Entry> entries) throws Exception {
    CompletableFuture<Optional<IOException>> outcome = new CompletableFuture<>();
    appender.append(TO, entries, outcome::complete);
    assertThat(outcome.get(10, TimeUnit.SECONDS)).isEmpty();
  }

  @Test
  void an_append_goes_as_a_whole_to_the_producer_that_suits_its_size() throws Exception {
    KafkaConfig.Times times = KafkaConfig.Times.DEFAULT;
    try (KafkaAppender appender =
        new KafkaAppender(new KafkaAppender.Producers(prompt, gathering), times, TestKafka.CLOCK)) {
      appender.start();
      append(appender, entries(64));
      assertThat(prompt.history()).hasSize(64);
      assertThat(gathering.history()).isEmpty();
      append(appender, entries(65));
      assertThat(prompt.history()).hasSize(64);
      assertThat(gathering.history()).hasSize(65);
    }
    assertThat(prompt.closed()).isTrue();
    assertThat(gathering.closed()).isTrue();
  }
}
