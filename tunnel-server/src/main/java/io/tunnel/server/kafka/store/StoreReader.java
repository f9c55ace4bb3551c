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

/** Reads a store's partition from its beginning. For one thread, except {@link #wakeup}. */
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

  /** The transactions that were read completely since the last call. */
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

  /** A failure here must not lose the polled records: the position is asked for again next time. */
  private long position() {
    try {
      return consumer.position(partition, Duration.ZERO);
    } catch (TimeoutException | WakeupException notNow) {
      return -1;
    }
  }

  /**
   * The offset after the last record, including records of open transactions. All acknowledged
   * records are below, though the end of their transaction may not be written yet.
   */
  long end() {
    return AdminAnswers.get(
            admin.listOffsets(Map.of(partition, OffsetSpec.latest())).partitionResult(partition))
        .offset();
  }

  /** Whether all records below {@code end} were returned. */
  boolean hasRead(long end) {
    return core.hasRead(end);
  }

  /** Ends a wait; any thread. */
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
