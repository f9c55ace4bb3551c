package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class RecordFormatTest {

  private static final TopicPartition TO = new TopicPartition("t", 3);
  private static final Bytes KEY = Bytes.fromHex("0102");

  @Test
  void all_but_key_and_value_is_in_one_header_without_a_name() {
    Entry entry =
        new Entry(Kind.REPAIR, KEY, 0x0102030405060708L, 9, Optional.empty(), 10, Bytes.EMPTY);
    ProducerRecord<Bytes, Bytes> record = RecordFormat.encode(TO, entry);
    Header header = record.headers().iterator().next();
    assertThat(header.key()).isEmpty();
    assertThat(HexFormat.of().formatHex(header.value()))
        .isEqualTo("01" + "02" + "0102030405060708" + "0000000000000009" + "000000000000000a");
    assertThat(record.value()).isNull();
    assertThat(record.partition()).isEqualTo(3);
    assertThat(RecordFormat.decode(stored(record.headers())).entry().epoch())
        .isEqualTo(0x0102030405060708L);
  }

  @Test
  void a_record_without_the_header_is_that_of_a_stranger() {
    Entry entry = new Entry(Kind.CHANGE, KEY, 0, 0, Optional.of(KEY));
    Headers headers = RecordFormat.encode(TO, entry).headers();
    headers.remove("").add("other", new byte[18]);
    assertThat(RecordFormat.decode(stored(headers)).entry())
        .isEqualTo(new Entry(Kind.CHANGE, KEY, RecordFormat.FOREIGN_EPOCH, 0, Optional.of(KEY)));
  }

  @Test
  void a_header_that_cannot_be_read_is_never_that_of_a_stranger() {
    Entry entry = new Entry(Kind.CHANGE, KEY, 5, 6, Optional.of(KEY));
    Headers headers = RecordFormat.encode(TO, entry).headers();
    byte[] newer = headers.iterator().next().value();
    newer[1] = 4;
    headers.remove("").add("", newer);
    assertThat(RecordFormat.decode(stored(headers)).entry().kind()).isEqualTo(Kind.NEWER);
  }

  @Test
  void bytes_are_taken_from_where_they_are_in_what_was_fetched() {
    ByteBuffer fetched = ByteBuffer.wrap(new byte[] {9, 1, 2, 9}, 1, 2).slice();
    assertThat(RecordFormat.DESERIALIZER.deserialize("t", null, fetched)).isEqualTo(KEY);
    ByteBuffer direct = ByteBuffer.allocateDirect(2).put((byte) 1).put((byte) 2).flip();
    assertThat(RecordFormat.DESERIALIZER.deserialize("t", null, direct)).isEqualTo(KEY);
    assertThat(RecordFormat.DESERIALIZER.deserialize("t", null, (ByteBuffer) null)).isNull();
    assertThat(RecordFormat.SERIALIZER.serialize("t", null)).isNull();
  }

  private static ConsumerRecord<Bytes, Bytes> stored(Headers headers) {
    return new ConsumerRecord<>(
        "t", 3, 7, 8, TimestampType.LOG_APPEND_TIME, 2, 2, KEY, KEY, headers, Optional.empty());
  }
}
