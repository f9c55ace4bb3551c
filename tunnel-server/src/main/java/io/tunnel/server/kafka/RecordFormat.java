package io.tunnel.server.kafka;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.RecordHeader;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/**
 * An entry of the shared log as a record of Kafka, drawn in docs/storage.md. Key and value are the
 * entry's; a deleted row is a tombstone, a record without a value. All other fields are in one
 * header without a name, a {@link RecordHeader}.
 */
final class RecordFormat {

  /** The epoch of a record that no node wrote: lower than every marker's. */
  static final long FOREIGN_EPOCH = Long.MIN_VALUE;

  private static final String HEADER = "";

  /** Writes bytes unchanged; null is Kafka's tombstone. */
  static final Serializer<Bytes> SERIALIZER =
      (topic, bytes) -> bytes == null ? null : bytes.toByteArray();

  /** Copies the bytes once, out of the fetched batch. */
  static final Deserializer<Bytes> DESERIALIZER =
      new Deserializer<>() {
        @Override
        public Bytes deserialize(String topic, byte[] data) {
          return data == null ? null : Bytes.copyOf(data);
        }

        @Override
        public Bytes deserialize(String topic, Headers headers, ByteBuffer data) {
          if (data == null) {
            return null;
          }
          if (data.hasArray()) {
            return Bytes.copyOf(
                data.array(), data.arrayOffset() + data.position(), data.remaining());
          }
          byte[] copy = new byte[data.remaining()];
          data.duplicate().get(copy);
          return Bytes.copyOf(copy);
        }
      };

  private RecordFormat() {}

  static ProducerRecord<Bytes, Bytes> encode(TopicPartition to, Entry entry) {
    ProducerRecord<Bytes, Bytes> record =
        new ProducerRecord<>(to.topic(), to.partition(), entry.key(), entry.value().orElse(null));
    record.headers().add(HEADER, RecordHeader.encode(entry));
    return record;
  }

  /**
   * The stored entry. A record without a header that has no name was written by another program: it
   * becomes a change of {@link #FOREIGN_EPOCH}, so that every replica ignores it and a leader
   * repairs its key. A record with such a header that this build cannot read becomes an entry of
   * {@link Kind#NEWER}.
   */
  static Stored decode(ConsumerRecord<Bytes, Bytes> record) {
    long timeMicros = TimeUnit.MILLISECONDS.toMicros(record.timestamp());
    int leaderEpoch = record.leaderEpoch().orElse(Stored.NO_EPOCH);
    return new Stored(record.offset(), timeMicros, entry(record), leaderEpoch);
  }

  private static Entry entry(ConsumerRecord<Bytes, Bytes> record) {
    Bytes key = record.key() == null ? Bytes.EMPTY : record.key();
    Optional<Bytes> value = Optional.ofNullable(record.value());
    for (Header header : record.headers()) {
      byte[] bytes = header.value();
      if (header.key().equals(HEADER) && bytes != null) {
        return RecordHeader.decode(bytes, key, value);
      }
    }
    return new Entry(Kind.CHANGE, key, FOREIGN_EPOCH, 0, value);
  }
}
