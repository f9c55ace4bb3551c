package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.FIRST;
import static io.tunnel.server.kafka.TestAppends.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.model.value.Bytes;
import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.replica.snapshot.SnapshotBlocks;
import io.tunnel.server.replica.snapshot.SnapshotBlocks.Found;
import io.tunnel.server.replica.snapshot.SnapshotBlocks.Reading;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class KafkaBlocksTest {

  private static final int MIB = 1 << 20;

  private static SnapshotBlocks open(TestAppends table) {
    return table.cluster.openBlocks(partition -> Optional.ofNullable(table.places.get(partition)));
  }

  /** A block with a name of its own, and bytes that cannot be compressed. */
  private static Bytes block(int number, int bytes) {
    byte[] block = new byte[bytes];
    new SplittableRandom(number).nextBytes(block);
    ByteBuffer.wrap(block).putInt(number);
    return Bytes.copyOf(block);
  }

  private static CompletableFuture<OptionalLong> append(
      SnapshotBlocks blocks, int partition, Bytes block) {
    CompletableFuture<OptionalLong> appended = new CompletableFuture<>();
    blocks.append(partition, block, appended::complete);
    return appended;
  }

  private static Bytes read(Reading reading, long offset) throws IOException {
    Found found = reading.read(offset).orElseThrow();
    assertThat(found.offset()).isEqualTo(offset);
    return found.block();
  }

  /** What a reading gives that goes from block to block, up to the end of the log. */
  private static List<Found> all(SnapshotBlocks blocks, int partition) throws IOException {
    List<Found> all = new ArrayList<>();
    try (Reading reading = blocks.reading(partition)) {
      Optional<Found> next = reading.read(0);
      while (next.isPresent()) {
        all.add(next.get());
        next = reading.read(next.get().offset() + 1);
      }
    }
    return all;
  }

  @Test
  void blocks_of_a_mebibyte_and_of_the_largest_row_are_read_where_their_answers_say()
      throws Exception {
    try (TestAppends table = new TestAppends(2);
        SnapshotBlocks blocks = open(table);
        Reading reading = blocks.reading(FIRST);
        Reading other = blocks.reading(FIRST + 1)) {
      assertThat(reading.read(0)).as("a log without blocks").isEmpty();
      for (int number = 0; number < 12; number++) {
        Bytes block = block(number, number == 5 ? 4 * MIB + 1_000 : MIB);
        assertThat(get(append(blocks, FIRST, block))).hasValue(number);
      }
      assertThat(get(append(blocks, FIRST + 1, block(100, 10)))).hasValue(0);
      for (int number = 0; number < 12; number++) {
        assertThat(read(reading, number))
            .isEqualTo(block(number, number == 5 ? 4 * MIB + 1_000 : MIB));
      }
      assertThat(reading.read(12)).as("the end").isEmpty();
      assertThat(read(reading, 3)).as("back again").isEqualTo(block(3, MIB));
      assertThat(read(other, 0)).isEqualTo(block(100, 10));
      get(append(blocks, FIRST + 1, block(101, 10)));
      assertThat(read(other, 1)).as("after the former end").isEqualTo(block(101, 10));
    }
  }

  @Test
  void blocks_that_were_deleted_are_passed_over_and_deleting_them_again_changes_nothing()
      throws Exception {
    try (TestAppends table = new TestAppends(1);
        SnapshotBlocks blocks = open(table);
        Reading reading = blocks.reading(FIRST)) {
      for (int number = 0; number < 6; number++) {
        get(append(blocks, FIRST, block(number, 100)));
      }
      assertThat(read(reading, 0)).isEqualTo(block(0, 100));
      get(blocks.deleteBefore(FIRST, 4));
      get(blocks.deleteBefore(FIRST, 2));
      assertThat(all(blocks, FIRST)).extracting(Found::offset).containsExactly(4L, 5L);
      assertThat(reading.read(9)).as("beyond the end").isEmpty();
      assertThat(get(table.log.starts(List.of(FIRST)).get(FIRST))).as("the other topic").isZero();
    }
  }

  @Test
  void records_of_other_programs_are_passed_over_and_a_log_of_nothing_else_ends() throws Exception {
    try (TestAppends table = new TestAppends(1);
        SnapshotBlocks blocks = open(table);
        KafkaProducer<byte[], byte[]> other =
            new KafkaProducer<>(
                new ClientSettings(table.config).producer(),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      String topic = AppendTopics.rows(table.config.cluster(), TestAppends.TABLE);
      byte[] text = {1, 2, 3};
      for (int i = 0; i < 20; i++) {
        byte[] key = i % 3 == 0 ? null : text;
        byte[] value = i % 3 == 1 ? null : text;
        other.send(new ProducerRecord<>(topic, 0, key, value)).get(60, TimeUnit.SECONDS);
      }
      assertThat(all(blocks, FIRST)).isEmpty();
      assertThat(get(append(blocks, FIRST, block(1, 100)))).hasValue(20);
      other.send(new ProducerRecord<>(topic, 0, text, text)).get(60, TimeUnit.SECONDS);
      assertThat(get(append(blocks, FIRST, block(2, 100)))).hasValue(22);
      assertThat(all(blocks, FIRST))
          .containsExactly(new Found(20, block(1, 100)), new Found(22, block(2, 100)));
    }
  }

  @Test
  void a_partition_that_the_catalog_does_not_know_fails_until_it_does() throws Exception {
    try (TestAppends table = new TestAppends(1);
        SnapshotBlocks blocks = open(table);
        Reading reading = blocks.reading(FIRST)) {
      Place place = table.places.remove(FIRST);
      assertThat(get(append(blocks, FIRST, block(1, 10)))).isEmpty();
      assertThatThrownBy(() -> reading.read(0)).isInstanceOf(LogUnavailableException.class);
      assertThatThrownBy(() -> get(blocks.deleteBefore(FIRST, 1)))
          .hasCauseInstanceOf(LogUnavailableException.class);
      table.places.put(FIRST, place);
      assertThat(get(append(blocks, FIRST, block(1, 10)))).hasValue(0);
      assertThat(read(reading, 0)).isEqualTo(block(1, 10));
    }
  }

  @Tag("proof-kafka")
  @Test
  void a_broker_that_is_killed_takes_no_acknowledged_block_and_a_reading_goes_on_after_it()
      throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestAppends table = new TestAppends(1);
        SnapshotBlocks blocks = open(table);
        Reading reading = blocks.reading(FIRST)) {
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      for (int number = 0; number < 16; number++) {
        appends.add(append(blocks, FIRST, block(number, MIB / 2)));
        if (number == 4) {
          get(appends.get(number));
          assertThat(read(reading, 0)).isEqualTo(block(0, MIB / 2));
        }
        if (number == 10) {
          broker.kill();
        }
      }
      broker.restart();
      table.awaitLeaders();
      for (int number = 0; number < appends.size(); number++) {
        OptionalLong offset = get(appends.get(number));
        if (offset.isPresent()) {
          assertThat(read(reading, offset.getAsLong())).isEqualTo(block(number, MIB / 2));
        }
      }
      assertThat(get(appends.get(4))).hasValue(4);
    }
  }

  @Test
  void closing_ends_every_block_in_flight_and_refuses_later_ones() throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestAppends table = new TestAppends(1)) {
      SnapshotBlocks blocks = open(table);
      assertThat(get(append(blocks, FIRST, block(0, 10)))).hasValue(0);
      broker.kill();
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      for (int number = 0; number < 60; number++) {
        appends.add(append(blocks, FIRST, block(number, MIB)));
      }
      assertThat(get(appends.get(59))).as("beyond the bytes in flight").isEmpty();
      assertThat(appends.get(0)).as("in flight").isNotDone();
      blocks.close();
      for (CompletableFuture<OptionalLong> each : appends) {
        assertThat(get(each)).isEmpty();
      }
      assertThat(get(append(blocks, FIRST, block(60, 10)))).isEmpty();
      broker.restart();
      table.awaitLeaders();
    }
  }
}
