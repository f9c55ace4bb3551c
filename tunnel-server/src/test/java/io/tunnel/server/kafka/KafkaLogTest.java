package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.bytes;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.delete;
import static io.tunnel.server.kafka.TestTable.get;
import static io.tunnel.server.kafka.TestTable.marker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.kafka.Reads.Lost;
import io.tunnel.server.kafka.Reads.Read;
import io.tunnel.server.replica.shared.SharedLog.Entry;
import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.Tail;
import io.tunnel.server.replica.shared.SharedLog.TailListener;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaLogTest {

  @Test
  void what_is_appended_is_read_as_it_was_in_order_with_the_time_of_the_log() throws Exception {
    try (TestTable table = new TestTable(2, 60_000)) {
      Reads reads = new Reads();
      long before = TestKafka.CLOCK.epochMicros();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        List<Entry> entries =
            List.of(
                marker("n1"),
                new Entry(Kind.CHANGE, bytes("k"), 5, 1, Optional.of(bytes("v"))),
                new Entry(Kind.CHANGE, bytes("k"), 5, 2, Optional.empty()),
                new Entry(Kind.REPAIR, bytes("k"), Long.MAX_VALUE, 3, Optional.of(Bytes.EMPTY)));
        get(table.append(FIRST, entries.toArray(Entry[]::new)));
        get(table.append(FIRST + 1, marker("other")));
        List<Stored> read = reads.until(4);
        assertThat(read).extracting(Stored::entry).isEqualTo(entries);
        assertThat(read).extracting(Stored::offset).containsExactly(0L, 1L, 2L, 3L);
        assertThat(read)
            .allMatch(record -> record.timeMicros() >= before)
            .allMatch(record -> record.timeMicros() <= TestKafka.CLOCK.epochMicros());
        assertThat(get(table.log.end(FIRST)).offset()).isEqualTo(4);
        assertThat(get(table.log.end(FIRST + 1)).offset()).isEqualTo(1);
        get(table.append(FIRST));
        assertThat(reads.isQuietFor(100)).isTrue();
      }
    }
  }

  @Test
  void the_time_of_reading_is_not_before_the_log_answered_and_each_read_begins_where_one_ended()
      throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        for (int i = 0; i < 5; i++) {
          get(table.append(FIRST, change(i, "k" + i, "v")));
          Read read = reads.read();
          assertThat(read.from()).isEqualTo(i);
          assertThat(read.next()).isEqualTo(i + 1);
          assertThat(read.readMicros())
              .isGreaterThanOrEqualTo(read.records().get(0).timeMicros())
              .isLessThanOrEqualTo(TestKafka.CLOCK.epochMicros());
        }
      }
    }
  }

  @Test
  void a_tail_reads_from_where_it_is_told_and_again_and_no_more() throws Exception {
    try (TestTable table = new TestTable(2, 60_000)) {
      for (int i = 0; i < 4; i++) {
        get(table.append(FIRST, change(i, "k" + i, "v")));
      }
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 2);
        assertThat(reads.until(4)).extracting(Stored::offset).containsExactly(2L, 3L);
        tail.follow(FIRST, 1);
        assertThat(reads.until(4)).extracting(Stored::offset).containsExactly(1L, 2L, 3L);
        tail.unfollow(FIRST);
        tail.follow(FIRST + 1, 0);
        get(table.append(FIRST, change(4, "k", "v")));
        get(table.append(FIRST + 1, change(0, "k", "v")));
        assertThat(reads.read().partition()).isEqualTo(FIRST + 1);
        assertThat(reads.isEmpty()).isTrue();
      }
    }
  }

  @Test
  void a_paused_tail_tells_nothing_of_any_partition_and_loses_nothing() throws Exception {
    try (TestTable table = new TestTable(2, 60_000)) {
      for (int i = 0; i < 2; i++) {
        get(table.append(FIRST + i, change(0, "k", "v"), change(1, "l", "w")));
      }
      Reads reads = new Reads();
      AtomicReference<Tail> own = new AtomicReference<>();
      BlockingQueue<Integer> told = new LinkedBlockingQueue<>();
      TailListener listener =
          new TailListener() {
            @Override
            public void read(
                int partition, long from, List<Stored> records, long next, long readMicros) {
              own.get().pause();
              told.add(partition);
              reads.read(partition, from, records, next, readMicros);
            }

            @Override
            public void lost(int partition, long offset, long first) {
              throw new AssertionError("nothing is lost");
            }
          };
      try (Tail tail = table.log.tail(listener)) {
        own.set(tail);
        tail.follow(FIRST, 0);
        tail.follow(FIRST + 1, 0);
        assertThat(reads.read().records()).hasSize(2);
        assertThat(reads.isQuietFor(300)).isTrue();
        tail.resume();
        assertThat(reads.read().records()).hasSize(2);
        assertThat(told).containsExactlyInAnyOrder(FIRST, FIRST + 1);
        tail.resume();
        get(table.append(FIRST, change(2, "k", "v")));
        assertThat(reads.read().next()).isEqualTo(3);
      }
    }
  }

  @Test
  void what_a_listener_fails_to_take_is_told_again() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      get(table.append(FIRST, change(0, "k", "v")));
      Reads reads = new Reads();
      AtomicReference<Boolean> hasFailed = new AtomicReference<>(false);
      TailListener listener =
          new TailListener() {
            @Override
            public void read(
                int partition, long from, List<Stored> records, long next, long readMicros) {
              if (!hasFailed.getAndSet(true)) {
                throw new IllegalStateException("not now");
              }
              reads.read(partition, from, records, next, readMicros);
            }

            @Override
            public void lost(int partition, long offset, long first) {
              throw new AssertionError("nothing is lost");
            }
          };
      try (Tail tail = table.log.tail(listener)) {
        tail.follow(FIRST, 0);
        assertThat(reads.read().records()).hasSize(1);
        assertThat(hasFailed.get()).isTrue();
      }
    }
  }

  @Test
  void a_partition_is_lost_when_there_is_no_record_to_go_on_at() throws Exception {
    try (TestTable table = new TestTable(1, 60_000);
        Admin admin = Admin.create(new ClientSettings(table.config).admin())) {
      for (int i = 0; i < 4; i++) {
        get(table.append(FIRST, change(i, "k" + i, "v")));
      }
      // Only a topic that is not only compacted lets an operator delete its beginning.
      TestTopics.alter(admin, table.topic(), Map.of("cleanup.policy", "compact,delete"));
      TestTopics.deleteBefore(admin, table.topic(), 3);
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 1);
        assertThat(reads.lost()).isEqualTo(new Lost(FIRST, 1, 3));
        tail.follow(FIRST, 3);
        assertThat(reads.until(4)).extracting(Stored::offset).containsExactly(3L);
        tail.follow(FIRST, 9);
        assertThat(reads.lost()).isEqualTo(new Lost(FIRST, 9, 3));
      }
    }
  }

  @Test
  void a_topic_that_was_deleted_and_made_anew_has_another_origin() throws Exception {
    try (TestTable table = new TestTable(1, 60_000);
        KafkaCluster other = new KafkaCluster(table.config, TestKafka.CLOCK)) {
      Bytes origin = get(table.log.end(FIRST)).origin();
      assertThat(get(table.log.end(FIRST)).origin()).isEqualTo(origin);
      get(table.cluster.topics().dropTable(TestTable.TABLE, origin));
      while (get(other.topics().tables()).contains(TestTable.TABLE)) {
        // The broker does not know yet that it is deleted.
      }
      get(other.topics().openTable(new KafkaTopics.TableTopic(TestTable.TABLE, 1, 60_000)));
      try (KafkaLog log = other.openLog(partition -> Optional.of(table.places.get(partition)))) {
        assertThat(get(log.end(FIRST)).origin()).isNotEqualTo(origin);
      }
    }
  }

  @Test
  void a_partition_that_the_catalog_does_not_know_yet_is_read_when_it_does() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      Place place = table.places.get(FIRST);
      get(table.append(FIRST, change(0, "k", "v")));
      table.places.clear();
      assertThatThrownBy(() -> get(table.append(FIRST, change(1, "k", "v"))))
          .hasCauseInstanceOf(LogUnavailableException.class);
      assertThatThrownBy(() -> get(table.log.end(FIRST)))
          .hasCauseInstanceOf(LogUnavailableException.class);
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        assertThat(reads.isQuietFor(100)).isTrue();
        table.places.put(FIRST, place);
        assertThat(reads.read().records()).hasSize(1);
      }
    }
  }

  @Test
  void the_largest_record_passes_and_a_larger_one_is_refused() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      byte[] value = new byte[ClientSettings.RECORD_BYTES_MAX - 1_024];
      new Random(1).nextBytes(value); // so that it cannot be compressed
      Entry largest = new Entry(Kind.CHANGE, bytes("k"), 0, 1, Optional.of(Bytes.copyOf(value)));
      get(table.append(FIRST, largest));
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        assertThat(reads.read().records().get(0).entry()).isEqualTo(largest);
      }
      byte[] more = new byte[ClientSettings.RECORD_BYTES_MAX];
      Entry larger = new Entry(Kind.CHANGE, bytes("k"), 0, 2, Optional.of(Bytes.copyOf(more)));
      assertThatThrownBy(() -> get(table.append(FIRST, change(2, "a", "b"), larger)))
          .hasCauseInstanceOf(LogUnavailableException.class);
    }
  }

  @Test
  void a_record_that_nobody_of_us_wrote_is_of_an_epoch_that_never_counts() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      Map<String, Object> settings = new ClientSettings(table.config).producer(0);
      try (KafkaProducer<byte[], byte[]> stranger =
          new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
        byte[] text = "foreign".getBytes(StandardCharsets.UTF_8);
        ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(table.topic(), 0, text, text);
        record.headers().add("trace", new byte[] {9});
        stranger.send(record).get(60, TimeUnit.SECONDS);
      }
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        assertThat(reads.read().records().get(0).entry())
            .isEqualTo(
                new Entry(
                    Kind.CHANGE,
                    bytes("foreign"),
                    RecordFormat.FOREIGN_EPOCH,
                    0,
                    Optional.of(bytes("foreign"))));
      }
    }
  }

  @Test
  void a_deleted_row_needs_no_bytes_and_stays_deleted() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      get(table.append(FIRST, change(0, "k", "v"), delete(1, "k")));
      Reads reads = new Reads();
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 1);
        assertThat(reads.read().records().get(0).entry().value()).isEmpty();
      }
    }
  }
}
