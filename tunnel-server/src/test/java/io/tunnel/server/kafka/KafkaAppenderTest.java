package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.change;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.partition.Shard;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class KafkaAppenderTest {

  private static final TopicPartition TO = new TopicPartition("t", 0);
  private static final BrokerShares.Buffer BUFFER = new BrokerShares.Buffer(32 << 20, 32 << 10);

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
            new KafkaAppender.Producers(this::make, () -> gathering, BUFFER, BUFFER),
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
    Optional<IOException> outcome = outcomes.poll(60, TimeUnit.SECONDS);
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
        List.of(new RecordTooLargeException("10 MB"), new NotLeaderOrFollowerException("moved"))) {
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
  void an_append_goes_as_a_whole_to_the_producer_that_suits_its_size() throws Exception {
    assertThat(appends(64)).isTrue();
    assertThat(made.get(0).history()).hasSize(64);
    assertThat(gathering.history()).isEmpty();
    assertThat(appends(65)).isTrue();
    assertThat(made.get(0).history()).hasSize(64);
    assertThat(gathering.history()).hasSize(65);
  }

  private void append(int partition, int entries, String value) {
    appender.append(
        new TopicPartition("t", partition),
        IntStream.range(0, entries).mapToObj(sequence -> change(sequence, "k", value)).toList(),
        outcomes::add);
  }

  private Optional<IOException> outcome() throws InterruptedException {
    Optional<IOException> outcome = outcomes.poll(60, TimeUnit.SECONDS);
    assertThat(outcome).isNotNull();
    return outcome;
  }

  private static void until(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(60));
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void a_partition_whose_topic_is_not_known_yet_is_held_and_others_pass_it() throws Exception {
    Refusing refusing = new Refusing(0);
    restart(refusing);
    append(0, 2, "first");
    append(0, 1, "second");
    until(() -> refusing.refused.get() > 2);
    append(1, 1, "other");
    assertThat(outcome()).isEmpty();
    assertThat(outcomes).as("the others have no outcome").isEmpty();
    refusing.isKnown = true;
    assertThat(outcome()).isEmpty();
    assertThat(outcome()).isEmpty();
    assertThat(refusing.history())
        .extracting(ProducerRecord::partition)
        .containsExactly(1, 0, 0, 0);
    assertThat(refusing.history().subList(1, 4))
        .extracting(record -> record.value().toByteArray().length)
        .as("in the order in which they came")
        .containsExactly(5, 5, 6);
  }

  @Test
  void producers_of_appends_never_wait_and_tails_inflate_few_records_at_a_time() {
    ClientSettings settings = new ClientSettings(new KafkaConfig("a:1", "c"));
    assertThat(settings.appender(5))
        .containsEntry(ProducerConfig.MAX_BLOCK_MS_CONFIG, 0)
        .containsEntry(ProducerConfig.LINGER_MS_CONFIG, 5)
        .containsEntry(ProducerConfig.ACKS_CONFIG, "all")
        .containsEntry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
    assertThat(settings.tail()).containsEntry(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 32);
  }

  @Test
  void what_is_held_for_too_long_is_given_up() throws Exception {
    Refusing refusing = new Refusing(0);
    restart(refusing);
    append(0, 2, "v");
    until(() -> refusing.refused.get() > 2);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(TestKafka.SHORT.deliveryMs()) + 1);
    assertThat(outcome()).isPresent();
    assertThat(refusing.history()).isEmpty();
  }

  @Test
  void an_append_goes_on_at_the_record_for_which_there_was_no_room() throws Exception {
    Refusing refusing = new Refusing(9);
    refusing.recordsMax = 3;
    restart(refusing);
    append(0, 5, "v");
    until(() -> refusing.refused.get() > 2);
    assertThat(refusing.history()).hasSize(3);
    refusing.recordsMax = 100;
    assertThat(outcome()).isEmpty();
    assertThat(refusing.history()).hasSize(5);
  }

  @Test
  void a_broker_that_does_not_answer_leaves_the_others_their_share() throws Exception {
    Refusing silent = new Refusing(9, false);
    restart(silent);
    String mebibyte = "v".repeat(1 << 20);
    for (int i = 0; i < 40; i++) {
      append(2 * i, 1, mebibyte);
    }
    until(() -> silent.history().size() >= 15);
    append(1, 1, mebibyte);
    until(() -> silent.history().stream().anyMatch(record -> record.partition() == 1));
    assertThat(silent.history()).as("of the first broker").hasSizeLessThan(20);
    for (int i = 0; i < 41; i++) {
      until(silent::completeNext);
      assertThat(outcome()).isEmpty();
    }
  }

  private void restart(MockProducer<Bytes, Bytes> prompt) {
    appender.close();
    appender =
        new KafkaAppender(
            new KafkaAppender.Producers(() -> prompt, () -> gathering, BUFFER, BUFFER),
            TestKafka.SHORT,
            new StandingClock());
    appender.start();
  }

  /**
   * A producer that does not know the partition of one topic, and has room for a bounded number of
   * records.
   */
  private static final class Refusing extends MockProducer<Bytes, Bytes> {
    final AtomicInteger refused = new AtomicInteger();
    volatile boolean isKnown;
    volatile int recordsMax = 100;
    private final int unknown;

    Refusing(int unknown) {
      this(unknown, true);
    }

    Refusing(int unknown, boolean completes) {
      super(cluster(), completes, null, RecordFormat.SERIALIZER, RecordFormat.SERIALIZER);
      this.unknown = unknown;
    }

    private static Cluster cluster() {
      Node[] brokers = {new Node(0, "a", 1), new Node(1, "b", 1)};
      List<PartitionInfo> partitions =
          IntStream.range(0, 80)
              .mapToObj(id -> new PartitionInfo("t", id, brokers[id % 2], brokers, brokers))
              .toList();
      return new Cluster("c", List.of(brokers), partitions, Set.of(), Set.of());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<Bytes, Bytes> record, Callback callback) {
      boolean isUnknown = record.partition() == unknown && !isKnown;
      if (isUnknown || history().size() >= recordsMax) {
        refused.incrementAndGet();
        TimeoutException reason = new TimeoutException("not after 0 ms");
        callback.onCompletion(null, reason);
        return CompletableFuture.failedFuture(reason);
      }
      return super.send(record, callback);
    }
  }
}
