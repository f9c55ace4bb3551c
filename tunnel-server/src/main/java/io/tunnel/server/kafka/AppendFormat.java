package io.tunnel.server.kafka;

import io.tunnel.codec.MalformedException;
import io.tunnel.codec.NewerFormatException;
import io.tunnel.server.replica.append.AppendHeader;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.AppendTail.Stored;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * An append as a record of Kafka. The key is the {@link AppendHeader}, the value has the batches. A
 * header of Kafka without name and value marks the record, so that a newer header is not taken for
 * the key of a program that writes to the topic by mistake, nor that key for a newer header.
 */
final class AppendFormat {

  private static final String MARK = "";
  private static final byte[] NOTHING = {};

  private AppendFormat() {}

  static ProducerRecord<byte[], byte[]> encode(TopicPartition to, byte[] header, byte[] value) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(to.topic(), to.partition(), header, value);
    record.headers().add(MARK, NOTHING);
    return record;
  }

  /** Whether a node wrote the record: it has a key, a value, and the mark. */
  static boolean isMarked(ConsumerRecord<byte[], byte[]> record) {
    return record.key() != null
        && record.value() != null
        && record.headers().lastHeader(MARK) != null;
  }

  /**
   * The append; empty for a record that no leader wrote, which never counts.
   *
   * @throws NewerFormatException for a record of a newer build
   */
  static Optional<Stored> decode(ConsumerRecord<byte[], byte[]> record) {
    if (!isMarked(record)) {
      return Optional.empty();
    }
    AppendHeader header;
    try {
      header = AppendHeader.decode(record.key());
    } catch (NewerFormatException e) {
      throw e;
    } catch (MalformedException e) {
      return Optional.empty();
    }
    return Optional.of(
        new Stored(
            record.offset(),
            record.leaderEpoch().orElse(AppendTail.NO_EPOCH),
            record.timestamp(),
            header,
            record.value()));
  }
}
