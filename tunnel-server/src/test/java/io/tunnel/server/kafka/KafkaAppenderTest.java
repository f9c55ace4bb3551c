package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.change;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.Bytes;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaAppenderTest {

  private static final TopicPartition TO = new TopicPartition("t", 0);

  private final List<MockProducer<Bytes, Bytes>> made = new CopyOnWriteArrayList<>();
  private final MockProducer<Bytes, Bytes> gathering =
      new MockProducer<>(true, null, RecordFormat.SERIALIZER, RecordFormat.SERIALIZER);
  private final AtomicLong nanos = new AtomicLong();
  private final BlockingQueue<Optional<IOException>> outcomes = new LinkedBlockingQueue<>();
  private volatile boolean cannotBeMade;
  private KafkaAppender appender;

  private final class StandingClock implements Shard.Clock {
    @Override
    public long epochMicros() {
      return 0;
    }

    @Override
    public long nanos() {
      return nanos.get();
    }
  }

  @BeforeEach
  void start() {
    appender =
        new KafkaAppender(
            new KafkaAppender.Producers(this::make, () -> gathering),
            TestKafka.SHORT,
            new StandingClock());
    appender.start();
  }

  private MockProducer<Bytes, Bytes> make() {
    if (cannotBeMade) {
      throw new KafkaException("Failed to construct kafka producer");
    }
    MockProducer<Bytes, Bytes> producer =
        new MockProducer<>(true, null, RecordFormat.SERIALIZER, RecordFormat.SERIALIZER);
    made.add(producer);
    return producer;
  }

  @AfterEach
  void stop() {
    appender.close();
  }

  private boolean appends(int entries) throws InterruptedException {
    appender.append(
        TO,
        IntStream.range(0, entries).mapToObj(sequence -> change(sequence, "k", "v")).toList(),
        outcomes::add);
    Optional<IOException> outcome = outcomes.poll(20, TimeUnit.SECONDS);
    assertThat(outcome).isNotNull();
    return outcome.isEmpty();
  }

  private void breaksWith(RuntimeException failure) {
    made.get(made.size() - 1).sendException = failure;
  }

  @Test
  void a_producer_that_cannot_go_on_is_made_anew() throws Exception {
    for (RuntimeException fatal :
        List.of(
            new OutOfOrderSequenceException("lost"),
            new ClusterAuthorizationException("not allowed any more"),
            new KafkaException("in an error state"))) {
      int before = made.size();
      assertThat(appends(2)).isTrue();
      breaksWith(fatal);
      assertThat(appends(2)).isFalse();
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(appends(2)).isTrue();
      assertThat(made).hasSize(before + 1);
      assertThat(made.get(before - 1).closed()).isTrue();
    }
  }

  @Test
  void appends_fail_as_long_as_it_cannot_be_made_anew_and_go_on_then() throws Exception {
    breaksWith(new OutOfOrderSequenceException("lost"));
    assertThat(appends(1)).isFalse();
    cannotBeMade = true;
    for (int i = 0; i < 3; i++) {
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(appends(2)).isFalse();
    }
    cannotBeMade = false;
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    assertThat(appends(2)).isTrue();
  }

  @Test
  void it_is_not_made_anew_again_and_again() throws Exception {
    breaksWith(new OutOfOrderSequenceException("lost"));
    assertThat(appends(1)).isFalse();
    assertThat(appends(1)).isFalse();
    assertThat(made).hasSize(1);
  }

  @Test
  void what_is_wrong_with_a_record_or_passes_is_no_reason() throws Exception {
    for (RuntimeException failure :
        List.of(new RecordTooLargeException("10 MB"), new TimeoutException("no leader"))) {
      breaksWith(failure);
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(appends(1)).isFalse();
      breaksWith(null);
      nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
      assertThat(appends(1)).isTrue();
    }
    assertThat(made).hasSize(1);
  }

  @Test
  void anAppendGoesAsAWholeToTheProducerThatSuitsItsSize() throws Exception {
    assertThat(appends(64)).isTrue();
    assertThat(made.get(0).history()).hasSize(64);
    assertThat(gathering.history()).isEmpty();
    assertThat(appends(65)).isTrue();
    assertThat(made.get(0).history()).hasSize(64);
    assertThat(gathering.history()).hasSize(65);
  }
}
