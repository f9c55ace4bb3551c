package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.FIRST;
import static io.tunnel.server.kafka.TestAppends.get;
import static io.tunnel.server.kafka.TestAppends.header;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.kafka.PartitionTopics.Place;
import io.tunnel.server.replica.append.AppendLog;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.AppendTail.Cut;
import io.tunnel.server.replica.append.AppendTail.HeldBack;
import io.tunnel.server.replica.append.AppendTail.Read;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.AppendTail.Trimmed;
import io.tunnel.server.replica.append.ReadableAppendLog;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class KafkaAppendsTest {

  private static final int MIB = 1 << 20;

  @Test
  void small_and_large_appends_are_read_in_their_order_at_the_offsets_of_their_answers()
      throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    try (TestAppends table = new TestAppends(2)) {
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      List<Integer> sizes = new ArrayList<>();
      for (int number = 1; number <= 200; number++) {
        int bytes = random.nextInt(10) == 0 ? random.nextInt(2 * MIB) : random.nextInt(200);
        sizes.add(bytes);
        appends.add(table.append(FIRST, number, bytes));
        // In flight are less than the bytes that a node may have in flight.
        if (number % 50 == 0) {
          get(appends.get(number - 1));
        }
      }
      get(table.append(FIRST + 1, 1, 1));
      for (int i = 0; i < appends.size(); i++) {
        assertThat(get(appends.get(i))).hasValue(i);
      }
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        List<Stored> read = events.until(200);
        assertThat(read).hasSize(200);
        for (int i = 0; i < read.size(); i++) {
          assertThat(read.get(i).offset()).isEqualTo(i);
          assertThat(read.get(i).header()).isEqualTo(header(i + 1));
          assertThat(read.get(i).value()).hasSize(sizes.get(i));
        }
        assertThat(TestAppends.end(tail, FIRST).offset()).isEqualTo(200);
        assertThat(TestAppends.end(tail, FIRST + 1).offset()).isEqualTo(1);
      }
    }
  }

  @Test
  void the_largest_record_passes_and_a_larger_one_has_no_offset_and_stops_no_other()
      throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      int largest = ClientSettings.RECORD_BYTES_MAX - 1_024;
      for (int number = 1; number <= 6; number++) {
        assertThat(get(table.append(FIRST, number, largest))).hasValue(number - 1);
      }
      assertThat(get(table.append(FIRST, 7, ClientSettings.RECORD_BYTES_MAX))).isEmpty();
      assertThat(get(table.append(FIRST, 8, 1))).hasValue(6);
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        for (int i = 0; i < 6; i++) {
          Read read = events.next(Read.class);
          assertThat(read.records()).as("a chunk has few bytes").hasSize(1);
          assertThat(read.from()).isEqualTo(i);
          assertThat(read.next()).isEqualTo(i + 1);
          assertThat(read.bytes()).isEqualTo(largest);
        }
      }
    }
  }

  @Test
  void an_append_is_told_the_time_that_readers_of_the_record_are_told() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      CompletableFuture<AppendLog.Placed> placed = new CompletableFuture<>();
      table.log.append(
          FIRST, header(1).encode(), new byte[1], told -> placed.complete(told.orElseThrow()));
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        assertThat(get(placed)).isEqualTo(new AppendLog.Placed(0, events.until(1).get(0).timeMs()));
      }
      assertThat(table.log.isFull()).isFalse();
    }
  }

  @Test
  void the_events_of_a_visit_come_after_its_beginning() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      get(table.append(FIRST, 1, 1));
      BlockingQueue<AppendTail.Event> events = new LinkedBlockingQueue<>();
      try (AppendTail tail = table.log.tail(events::add)) {
        for (int visits = 0; visits < 20; visits++) {
          long last = tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
          AppendTail.Event event = events.poll(60, TimeUnit.SECONDS);
          while (!new AppendTail.Begun(FIRST, last).equals(event)) {
            event = events.poll(60, TimeUnit.SECONDS);
          }
          assertThat(events.poll(60, TimeUnit.SECONDS)).isInstanceOf(Read.class);
        }
      }
    }
  }

  @Test
  void a_paused_partition_is_not_read_and_is_read_on_from_where_it_was_or_from_elsewhere()
      throws Exception {
    try (TestAppends table = new TestAppends(2)) {
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        tail.follow(FIRST + 1, 0, AppendTail.NO_EPOCH);
        get(table.append(FIRST, 1, 1));
        assertThat(events.next(Read.class).next()).isEqualTo(1);
        tail.pause(FIRST);
        for (int number = 2; number <= 5; number++) {
          get(table.append(FIRST, number, 1));
        }
        get(table.append(FIRST + 1, 1, 1));
        assertThat(events.next().partition()).isEqualTo(FIRST + 1);
        assertThat(events.isQuietFor(700)).isTrue();
        tail.resume(FIRST);
        assertThat(events.until(5)).extracting(Stored::offset).containsExactly(1L, 2L, 3L, 4L);
        tail.pause(FIRST);
        tail.follow(FIRST, 3, AppendTail.NO_EPOCH);
        assertThat(events.until(5)).extracting(Stored::offset).containsExactly(3L, 4L);
        tail.unfollow(FIRST);
        get(table.append(FIRST, 6, 1));
        get(table.append(FIRST + 1, 2, 1));
        assertThat(events.next().partition()).isEqualTo(FIRST + 1);
      }
    }
  }

  @Test
  void while_the_tail_is_paused_nothing_is_reported_and_an_event_that_is_not_taken_comes_again()
      throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      for (int number = 1; number <= 20; number++) {
        get(table.append(FIRST, number, 1));
      }
      TailEvents events = new TailEvents();
      AtomicReference<AppendTail> own = new AtomicReference<>();
      boolean[] hasFailed = {false};
      try (AppendTail tail =
          table.log.tail(
              event -> {
                if (event instanceof AppendTail.Begun) {
                  return;
                }
                if (!hasFailed[0]) {
                  hasFailed[0] = true;
                  throw new IllegalStateException("not now");
                }
                events.happened(event);
                own.get().pause();
              })) {
        own.set(tail);
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        long next = 0;
        while (next < 20) {
          Read read = events.next(Read.class);
          assertThat(read.from()).isEqualTo(next);
          next = read.next();
          assertThat(events.isQuietFor(50)).isTrue();
          tail.resume();
        }
      }
    }
  }

  @Test
  void a_log_that_was_trimmed_beyond_the_next_offset_and_one_that_is_too_short_are_told_apart()
      throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      for (int number = 1; number <= 8; number++) {
        get(table.append(FIRST, number, 1));
      }
      get(table.log.deleteBefore(FIRST, 5));
      get(table.log.deleteBefore(FIRST, 3));
      assertThat(get(table.log.starts(List.of(FIRST)).get(FIRST))).isEqualTo(5);
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 2, AppendTail.NO_EPOCH);
        assertThat(events.next()).isEqualTo(new Trimmed(FIRST, 2, 5));
        tail.follow(FIRST, 9, AppendTail.NO_EPOCH);
        assertThat(events.next()).isEqualTo(new Cut(FIRST, 9, 0));
        tail.follow(FIRST, 5, AppendTail.NO_EPOCH);
        assertThat(events.until(8)).extracting(Stored::offset).containsExactly(5L, 6L, 7L);
      }
      assertThatThrownBy(() -> get(table.log.deleteBefore(FIRST, 9)))
          .as("beyond the end")
          .hasMessageContaining("delete the records of " + table.topic() + "-0 before offset 9");
    }
  }

  @Test
  void a_record_of_a_newer_build_holds_back_and_what_no_node_wrote_is_skipped() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      get(table.append(FIRST, 1, 1));
      byte[] text = "foreign".getBytes(StandardCharsets.UTF_8);
      try (KafkaProducer<byte[], byte[]> other =
          new KafkaProducer<>(
              new ClientSettings(table.config).producer(),
              new ByteArraySerializer(),
              new ByteArraySerializer())) {
        ProducerRecord<byte[], byte[]> foreign = new ProducerRecord<>(table.topic(), 0, text, text);
        foreign.headers().add("trace", new byte[] {9});
        other.send(foreign).get(60, TimeUnit.SECONDS);
        other.send(new ProducerRecord<>(table.topic(), 0, null, text)).get(60, TimeUnit.SECONDS);
        get(table.append(FIRST, 2, 1));
        byte[] newer = header(3).encode();
        newer[0] = 2;
        other
            .send(AppendFormat.encode(new TopicPartition(table.topic(), 0), newer, text))
            .get(60, TimeUnit.SECONDS);
      }
      get(table.append(FIRST, 4, 1));
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        assertThat(events.until(4)).extracting(Stored::offset).containsExactly(0L, 3L);
        HeldBack held = (HeldBack) events.next();
        assertThat(held.offset()).isEqualTo(4);
        assertThat(held.reason()).contains("header of form 2");
        assertThat(events.isQuietFor(700)).as("nothing after it is read").isTrue();
        tail.follow(FIRST, 4, AppendTail.NO_EPOCH);
        assertThat(events.next()).isEqualTo(held);
        tail.follow(FIRST, 5, AppendTail.NO_EPOCH);
        assertThat(events.until(6)).extracting(Stored::offset).containsExactly(5L);
      }
    }
  }

  @Test
  void a_partition_that_the_catalog_does_not_know_yet_is_read_when_it_does() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      get(table.append(FIRST, 1, 1));
      Place place = table.places.remove(FIRST);
      assertThat(get(table.append(FIRST, 2, 1))).isEmpty();
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        assertThatThrownBy(() -> TestAppends.end(tail, FIRST))
            .hasCauseInstanceOf(LogUnavailableException.class);
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        assertThat(events.isQuietFor(100)).isTrue();
        table.places.put(FIRST, place);
        assertThat(events.until(1)).hasSize(1);
      }
    }
  }

  @Test
  void closing_fails_what_is_in_flight_and_what_comes_later() throws Exception {
    try (TestAppends table = new TestAppends(1)) {
      ReadableAppendLog node = table.node();
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      for (int number = 1; number <= 100; number++) {
        appends.add(TestAppends.append(node, FIRST, number, MIB / 2));
      }
      node.close();
      for (CompletableFuture<OptionalLong> append : appends) {
        get(append);
      }
      assertThat(get(TestAppends.append(node, FIRST, 101, 1))).isEmpty();
    }
  }
}
