package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.partition.Shard;
import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AppendSenderTest {

  private static final BrokerShares.Buffer BUFFER = new BrokerShares.Buffer(32 << 20, 32 << 10);
  private static final int KIB = 1 << 10;
  private static final int BYTES_MAX = 64 * KIB;

  private final List<FakeProducer> made = new CopyOnWriteArrayList<>();
  private final AtomicLong nanos = new AtomicLong();
  private final BlockingQueue<OptionalLong> outcomes = new LinkedBlockingQueue<>();
  private final AppendSender sender =
      new AppendSender(
          AppendSender.Carries.APPENDS,
          this::make,
          BUFFER,
          BYTES_MAX,
          TestKafka.SHORT,
          new StandingClock());

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

  private FakeProducer make() {
    FakeProducer producer = new FakeProducer();
    made.add(producer);
    return producer;
  }

  @AfterEach
  void stop() {
    sender.close();
  }

  private void append(int partition, int bytes) {
    sender.append(
        new TopicPartition("t", partition),
        TestAppends.header(1 + bytes).encode(),
        new byte[bytes],
        placed ->
            outcomes.add(
                placed.isPresent()
                    ? OptionalLong.of(placed.get().offset())
                    : OptionalLong.empty()));
  }

  private OptionalLong outcome() throws InterruptedException {
    OptionalLong outcome = outcomes.poll(60, TimeUnit.SECONDS);
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

  private FakeProducer producer() {
    return made.get(made.size() - 1);
  }

  @Test
  void an_append_has_the_offset_at_which_kafka_says_it_is_or_none() throws Exception {
    sender.start();
    append(0, 1);
    assertThat(outcome()).hasValue(0);
    append(0, 2);
    assertThat(outcome()).hasValue(1);
    producer().hasOffsets = false;
    append(0, 3);
    assertThat(outcome()).as("a copy of what Kafka has already").isEmpty();
    producer().hasOffsets = true;
    producer().sendException = new NotLeaderOrFollowerException("moved");
    append(0, 4);
    assertThat(outcome()).isEmpty();
    assertThat(made).hasSize(1);
  }

  @Test
  void records_of_a_partition_keep_their_order_whatever_their_size_and_others_pass_those_held()
      throws Exception {
    producer().unknown.add(0);
    sender.start();
    List<Integer> sizes = List.of(30 * KIB, 1, 20 * KIB, 2, 3);
    sizes.forEach(bytes -> append(0, bytes));
    until(() -> producer().refused.get() > 2);
    append(1, 7);
    assertThat(outcome()).hasValue(0);
    assertThat(outcomes).isEmpty();
    producer().unknown.clear();
    for (int i = 0; i < sizes.size(); i++) {
      assertThat(outcome()).hasValue(i);
    }
    assertThat(producer().history())
        .extracting(record -> record.value().length)
        .containsExactly(7, 30 * KIB, 1, 20 * KIB, 2, 3);
  }

  @Test
  void what_is_held_for_too_long_has_no_offset_and_is_never_sent() throws Exception {
    producer().unknown.add(0);
    sender.start();
    append(0, 1);
    until(() -> producer().refused.get() > 2);
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(TestKafka.SHORT.deliveryMs()) + 1);
    assertThat(outcome()).isEmpty();
    append(0, 2);
    producer().unknown.clear();
    assertThat(outcome()).hasValue(0);
    assertThat(producer().history()).extracting(record -> record.value().length).containsOnly(2);
  }

  @Test
  void bytes_in_flight_are_bounded_and_one_append_passes_whatever_its_size() throws Exception {
    producer().completes = false;
    sender.start();
    append(0, 2 * BYTES_MAX);
    append(0, 1);
    assertThat(outcome()).as("it exceeds the limit").isEmpty();
    until(() -> producer().completeNext());
    assertThat(outcome()).hasValue(0);
    append(0, BYTES_MAX / 2);
    append(0, BYTES_MAX / 3);
    append(0, BYTES_MAX / 3);
    assertThat(outcome()).isEmpty();
    for (int i = 1; i <= 2; i++) {
      until(() -> producer().completeNext());
      assertThat(outcome()).hasValue(i);
    }
  }

  @Test
  void the_log_is_full_from_half_of_the_bytes_on_that_may_be_in_flight() throws Exception {
    producer().unknown.add(0);
    append(0, BYTES_MAX / 2 - KIB);
    assertThat(sender.isFull()).isFalse();
    append(0, KIB);
    assertThat(sender.isFull()).isTrue();
    producer().unknown.clear();
    sender.start();
    assertThat(outcome()).hasValue(0);
    assertThat(outcome()).hasValue(1);
    assertThat(sender.isFull()).isFalse();
  }

  @Test
  void a_producer_with_a_fatal_error_is_replaced_and_what_it_had_in_flight_has_no_offset()
      throws Exception {
    sender.start();
    append(0, 1);
    assertThat(outcome()).hasValue(0);
    producer().sendException = new OutOfOrderSequenceException("lost");
    append(0, 2);
    assertThat(outcome()).isEmpty();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
    append(0, 3);
    assertThat(outcome()).isPresent();
    assertThat(made).hasSize(2);
    assertThat(made.get(0).closed()).isTrue();
  }

  @Test
  void closing_fails_what_is_in_flight_held_and_waiting_each_once() throws Exception {
    producer().completes = false;
    producer().unknown.add(1);
    sender.start();
    append(0, 1);
    append(1, 2);
    append(1, 3);
    until(() -> producer().history().size() == 1 && producer().refused.get() > 2);
    sender.close();
    append(0, 4);
    for (int i = 0; i < 4; i++) {
      assertThat(outcome()).isEmpty();
    }
    sender.close();
    assertThat(outcomes).isEmpty();
  }

  /** A producer that does not know some partitions yet, and may keep records for later. */
  private static final class FakeProducer extends MockProducer<byte[], byte[]> {
    final AtomicInteger refused = new AtomicInteger();
    final Set<Integer> unknown = ConcurrentHashMap.newKeySet();
    volatile boolean hasOffsets = true;
    volatile boolean completes = true;
    private final Deque<Runnable> inFlight = new ConcurrentLinkedDeque<>();
    private final Deque<Runnable> failures = new ConcurrentLinkedDeque<>();

    FakeProducer() {
      super(cluster(), true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static Cluster cluster() {
      Node[] brokers = {new Node(0, "a", 1), new Node(1, "b", 1)};
      List<PartitionInfo> partitions =
          IntStream.range(0, 2)
              .mapToObj(id -> new PartitionInfo("t", id, brokers[id], brokers, brokers))
              .toList();
      return new Cluster("c", List.of(brokers), partitions, Set.of(), Set.of());
    }

    @Override
    public synchronized Future<RecordMetadata> send(
        ProducerRecord<byte[], byte[]> record, Callback callback) {
      if (unknown.contains(record.partition())) {
        refused.incrementAndGet();
        TimeoutException reason = new TimeoutException("not after 0 ms");
        callback.onCompletion(null, reason);
        return CompletableFuture.failedFuture(reason);
      }
      return super.send(
          record,
          (metadata, failure) -> {
            RecordMetadata told =
                failure != null || hasOffsets
                    ? metadata
                    : new RecordMetadata(
                        new TopicPartition(record.topic(), record.partition()), -1, 0, 0, 0, 0);
            if (completes || failure != null) {
              callback.onCompletion(told, failure);
            } else {
              inFlight.add(() -> callback.onCompletion(told, null));
              failures.add(() -> callback.onCompletion(null, new IllegalStateException("closed")));
            }
          });
    }

    @Override
    public synchronized boolean completeNext() {
      if (inFlight.isEmpty()) {
        return false;
      }
      failures.remove();
      inFlight.remove().run();
      return true;
    }

    /** As Kafka's producer, fails what it did not send. */
    @Override
    public void close(Duration timeout) {
      super.close(timeout);
      inFlight.clear();
      while (!failures.isEmpty()) {
        failures.remove().run();
      }
    }
  }
}
