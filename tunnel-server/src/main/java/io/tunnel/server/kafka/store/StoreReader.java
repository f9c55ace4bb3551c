package io.tunnel.server.kafka.store;

import io.tunnel.server.kafka.store.StoreReaderCore.Read;
import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;

/** Reads a store's partition from its beginning. For one thread, but for {@link #wakeup}. */
final class StoreReader implements Closeable {

  private static final Duration CLOSE = Duration.ofSeconds(1);

  private final TopicPartition partition;
  private final Admin admin;
  private final Consumer<String, String> consumer;
  private final StoreReaderCore core = new StoreReaderCore();

  private StoreReader(TopicPartition partition, Admin admin, Consumer<String, String> consumer) {
    this.partition = partition;
    this.admin = admin;
    this.consumer = consumer;
  }

  static StoreReader open(StoreTopic topic) {
    Admin admin = Admin.create(topic.admin());
    try {
      Consumer<String, String> consumer = new KafkaConsumer<>(topic.consumer());
      consumer.assign(List.of(topic.topicPartition()));
      consumer.seekToBeginning(List.of(topic.topicPartition()));
      return new StoreReader(topic.topicPartition(), admin, consumer);
    } catch (RuntimeException e) {
      admin.close(CLOSE);
      throw e;
    }
  }

  /** What was written together and is read whole since the last time. */
  List<Map<String, Optional<String>>> poll(Duration wait) {
    List<Read> records = new ArrayList<>();
    for (ConsumerRecord<String, String> record : consumer.poll(wait)) {
      if (record.key().equals(LeftTransaction.NO_NAME)) {
        continue;
      }
      records.add(new Read(record.offset(), record.key(), Optional.ofNullable(record.value())));
    }
    return core.read(records, position());
  }

  /** What was polled must not be lost because of a failure here: it is asked again next time. */
  private long position() {
    try {
      return consumer.position(partition, Duration.ZERO);
    } catch (TimeoutException | WakeupException notNow) {
      return -1;
    }
  }

  /**
   * The number behind the last record now, also of those whose transactions are not ended; what was
   * acknowledged is below, though its end may not be written yet.
   */
  long end() {
    return AdminAnswers.get(
            admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
        .offset();
  }

  /** Whether everything below that number was given out. */
  boolean hasRead(long end) {
    return core.hasRead(end);
  }

  /** Ends a wait, by any thread. */
  void wakeup() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    try {
      consumer.close(CloseOptions.timeout(CLOSE));
    } finally {
      admin.close(CLOSE);
    }
  }
}
