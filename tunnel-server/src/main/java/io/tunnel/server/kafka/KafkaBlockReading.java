package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.snapshot.SnapshotBlocks.Found;
import io.tunnel.server.replica.snapshot.SnapshotBlocks.Reading;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Reads the blocks of one partition with a consumer that lives from the first read to the close, or
 * to a failure; the next read then makes another one. Holds the records of one poll: a few blocks,
 * and as much again that the consumer has fetched ahead.
 */
final class KafkaBlockReading implements Reading {

  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration CLOSE_MAX = Duration.ofSeconds(2);

  private final Supplier<Consumer<byte[], byte[]>> consumers;
  private final Supplier<Optional<TopicPartition>> topics;
  private final int partition;
  private final KafkaConfig.Times times;
  private final LongSupplier nanos;

  /** Records that were polled, in order; all are before {@link #next}. */
  private final Deque<ConsumerRecord<byte[], byte[]>> polled = new ArrayDeque<>();

  private Optional<Open> open = Optional.empty();

  /** The offset after the last block that was given. */
  private long next;

  private record Open(Consumer<byte[], byte[]> consumer, TopicPartition topic) {}

  /**
   * A reading that has no consumer yet.
   *
   * @param topics the partition in Kafka; empty while this node does not know the partition
   */
  KafkaBlockReading(
      int partition,
      Supplier<Consumer<byte[], byte[]>> consumers,
      Supplier<Optional<TopicPartition>> topics,
      KafkaConfig.Times times,
      LongSupplier nanos) {
    this.partition = partition;
    this.consumers = consumers;
    this.topics = topics;
    this.times = times;
    this.nanos = nanos;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Waits for the time of a delivery at most, as long as Kafka answers nothing.
   */
  @Override
  public Optional<Found> read(long offset) throws IOException {
    try {
      return find(offset);
    } catch (InterruptException e) {
      close();
      throw new IOException("interrupted while reading blocks of a snapshot", e);
    } catch (KafkaException e) {
      close();
      throw AdminFutures.failure("give blocks of a snapshot", e);
    }
  }

  private Optional<Found> find(long offset) throws IOException {
    goTo(offset);
    long begun = nanos.getAsLong();
    while (nanos.getAsLong() - begun < TimeUnit.MILLISECONDS.toNanos(times.deliveryMs())) {
      Optional<Found> found = take(offset);
      if (found.isPresent()) {
        next = found.get().offset() + 1;
        return found;
      }
      if (poll() && isAtEnd()) {
        next = offset;
        return Optional.empty();
      }
    }
    throw new LogUnavailableException(
        "Kafka gave no block of "
            + open.map(Open::topic).orElseThrow()
            + " from offset "
            + offset
            + " on within "
            + times.deliveryMs()
            + " ms",
        null);
  }

  private void goTo(long offset) throws IOException {
    if (open.isEmpty()) {
      TopicPartition topic = topics.get().orElseThrow(() -> PartitionTopics.unknown(partition));
      open = Optional.of(new Open(consumers.get(), topic));
      open.get().consumer().assign(Set.of(topic));
      seek(offset);
    } else if (offset != next) {
      seek(offset);
    }
  }

  private void seek(long offset) {
    polled.clear();
    open.get().consumer().seek(open.get().topic(), offset);
    next = offset;
  }

  /** The next polled record that is a block. Records without the mark are from other programs. */
  private Optional<Found> take(long offset) {
    while (!polled.isEmpty()) {
      ConsumerRecord<byte[], byte[]> record = polled.remove();
      if (record.offset() >= offset && AppendFormat.isMarked(record)) {
        return Optional.of(new Found(record.offset(), Bytes.copyOf(record.value())));
      }
    }
    return Optional.empty();
  }

  /** Whether a poll gave nothing. */
  private boolean poll() {
    Open reading = open.get();
    try {
      reading.consumer().poll(POLL).records(reading.topic()).forEach(polled::add);
    } catch (OffsetOutOfRangeException e) {
      long asked = e.offsetOutOfRangePartitions().get(reading.topic());
      long first =
          reading.consumer().beginningOffsets(Set.of(reading.topic())).get(reading.topic());
      if (asked < first) {
        // A trim deleted the blocks before.
        reading.consumer().seek(reading.topic(), first);
      } else {
        // The log has lost its end.
        reading.consumer().seekToEnd(Set.of(reading.topic()));
      }
    }
    return polled.isEmpty();
  }

  private boolean isAtEnd() {
    Open reading = open.get();
    long end = reading.consumer().endOffsets(Set.of(reading.topic())).get(reading.topic());
    return reading.consumer().position(reading.topic()) >= end;
  }

  /** Ends the consumer. A later read makes another one. */
  @Override
  public void close() {
    polled.clear();
    Optional<Open> ended = open;
    open = Optional.empty();
    ended.ifPresent(each -> each.consumer().close(CloseOptions.timeout(CLOSE_MAX)));
  }
}
