package io.tunnel.server.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RecordFormatTest {

  private static final TopicPartition TO = new TopicPartition("t", 3);
  private static final Bytes KEY = Bytes.fromHex("0102");

  @Test
  void the_header_of_version_one_is_17_bytes() {
    Entry entry = new Entry(Kind.REPAIR, KEY, 0x0102030405060708L, 9, Optional.empty());
    ProducerRecord<Bytes, Bytes> record = RecordFormat.encode(TO, entry);
    Header header = record.headers().iterator().next();
    assertThat(header.key()).isEmpty();
    assertThat(HexFormat.of().formatHex(header.value()))
        .isEqualTo("02" + "0102030405060708" + "0000000000000009");
    assertThat(record.value()).isNull();
    assertThat(record.partition()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void every_kind_comes_back(Kind kind) {
    Entry entry = new Entry(kind, KEY, Long.MAX_VALUE, Long.MIN_VALUE, Optional.of(KEY));
    assertThat(RecordFormat.decode(stored(RecordFormat.encode(TO, entry).headers())).entry())
        .isEqualTo(entry);
  }

  @Test
  void a_damaged_header_is_that_of_a_stranger() {
    Entry entry = new Entry(Kind.CHANGE, KEY, 5, 6, Optional.of(KEY));
    byte[] good = RecordFormat.encode(TO, entry).headers().iterator().next().value();
    for (int length = 0; length < good.length; length++) {
      assertForeign(Arrays.copyOf(good, length));
    }
    assertForeign(Arrays.copyOf(good, good.length + 1));
    for (byte kind : new byte[] {0, 4, -1}) {
      byte[] strange = good.clone();
      strange[0] = kind;
      assertForeign(strange);
    }
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

  private static void assertForeign(byte[] header) {
    Headers headers =
        RecordFormat.encode(TO, new Entry(Kind.CHANGE, KEY, 0, 0, Optional.of(KEY))).headers();
    headers.remove("").add("", header);
    assertThat(RecordFormat.decode(stored(headers)).entry())
        .isEqualTo(new Entry(Kind.CHANGE, KEY, RecordFormat.FOREIGN_EPOCH, 0, Optional.of(KEY)));
  }

  private static ConsumerRecord<Bytes, Bytes> stored(Headers headers) {
    return new ConsumerRecord<>(
        "t", 3, 7, 8, TimestampType.LOG_APPEND_TIME, 2, 2, KEY, KEY, headers, Optional.empty());
  }
}
