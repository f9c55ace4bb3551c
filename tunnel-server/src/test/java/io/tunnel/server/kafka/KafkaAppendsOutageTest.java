package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestAppends.FIRST;
import static io.tunnel.server.kafka.TestAppends.get;
import static io.tunnel.server.kafka.TestAppends.header;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.replica.append.AppendTail;
import io.tunnel.server.replica.append.AppendTail.Cut;
import io.tunnel.server.replica.append.AppendTail.Event;
import io.tunnel.server.replica.append.AppendTail.LeaderChanged;
import io.tunnel.server.replica.append.AppendTail.Stored;
import io.tunnel.server.replica.append.ReadableAppendLog;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real broker is killed, stands still, or loses the end of a partition with its power. */
@Tag("proof-kafka")
class KafkaAppendsOutageTest {

  private static final int LARGE_BYTES = 400_000;

  private static List<Stored> all(TestAppends table) throws Exception {
    TailEvents events = new TailEvents();
    try (AppendTail tail = table.log.tail(events)) {
      long end = TestAppends.end(tail, FIRST).offset();
      tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
      return events.until(end);
    }
  }

  /** What was acknowledged is where the answer says, and nothing overtook anything. */
  private static void assertKept(TestAppends table, List<CompletableFuture<OptionalLong>> appends)
      throws Exception {
    List<Stored> read = all(table);
    int acknowledged = 0;
    for (int i = 0; i < appends.size(); i++) {
      OptionalLong offset = get(appends.get(i));
      if (offset.isPresent()) {
        acknowledged++;
        Stored stored = read.get(Math.toIntExact(offset.getAsLong()));
        assertThat(stored.offset()).isEqualTo(offset.getAsLong());
        assertThat(stored.header()).isEqualTo(header(i + 1));
      }
    }
    assertThat(acknowledged).isPositive();
    assertThat(read)
        .extracting(stored -> stored.header().number())
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void a_broker_that_is_killed_during_appends_loses_doubles_and_reorders_none_of_them()
      throws Exception {
    KafkaBroker broker = TestKafka.broker();
    SplittableRandom random = new SplittableRandom(1);
    try (TestAppends table = new TestAppends(1)) {
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 60; i++) {
          int bytes = random.nextInt(5) == 0 ? LARGE_BYTES : 100;
          appends.add(table.append(FIRST, appends.size() + 1, bytes));
          if (i == 20) {
            get(appends.get(appends.size() - 1));
          }
          if (i == 40) {
            broker.kill();
          }
        }
        broker.restart();
        do {
          appends.add(table.append(FIRST, appends.size() + 1, 100));
        } while (get(appends.get(appends.size() - 1)).isEmpty());
      }
      assertKept(table, appends);
    }
  }

  @Test
  void appends_that_a_silent_broker_leaves_without_an_answer_have_no_offset_and_reorder_nothing()
      throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestAppends table = new TestAppends(1);
        KafkaCluster quick =
            new KafkaCluster(TestKafka.config(table.config, TestKafka.SHORT), TestKafka.CLOCK);
        ReadableAppendLog log = quick.openAppends(id -> Optional.of(table.places.get(id)))) {
      List<CompletableFuture<OptionalLong>> appends = new ArrayList<>();
      do {
        appends.add(TestAppends.append(log, FIRST, appends.size() + 1, 100));
      } while (get(appends.get(appends.size() - 1)).isEmpty());
      int before = appends.size();
      broker.suspend();
      try {
        for (int i = 0; i < 20; i++) {
          appends.add(TestAppends.append(log, FIRST, appends.size() + 1, 100));
        }
        for (CompletableFuture<OptionalLong> append : appends.subList(before, appends.size())) {
          assertThat(get(append)).isEmpty();
        }
      } finally {
        broker.resume();
      }
      do {
        appends.add(TestAppends.append(log, FIRST, appends.size() + 1, 100));
      } while (get(appends.get(appends.size() - 1)).isEmpty());
      table.awaitLeaders();
      assertKept(table, appends);
    }
  }

  @Test
  void another_term_of_the_logs_leader_is_told_to_who_reads_and_to_who_is_paused()
      throws Exception {
    try (TestAppends table = new TestAppends(2)) {
      for (int partition = FIRST; partition <= FIRST + 1; partition++) {
        get(table.append(partition, 1, 1));
      }
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        int epoch = events.until(1).get(0).leaderEpoch();
        tail.follow(FIRST + 1, 0, AppendTail.NO_EPOCH);
        int other = events.until(1).get(0).leaderEpoch();
        tail.pause(FIRST + 1);
        TestKafka.broker().kill();
        TestKafka.broker().restart();
        table.awaitLeaders();
        get(table.append(FIRST, 2, 1));
        Event first = events.next();
        assertThat(first).isInstanceOf(LeaderChanged.class);
        assertThat(((LeaderChanged) first).leaderEpoch()).isGreaterThan(epoch);
        assertThat(events.until(2)).extracting(Stored::offset).containsExactly(1L);
        get(table.append(FIRST + 1, 2, 1));
        assertThat(TestAppends.end(tail, FIRST + 1).leaderEpoch()).isGreaterThan(other);
        assertThat(events.next(LeaderChanged.class).partition()).isEqualTo(FIRST + 1);
      }
    }
  }

  private static Path segment(String topic) throws IOException {
    try (Stream<Path> files = Files.walk(TestKafka.broker().log().resolveSibling("data"))) {
      return files
          .filter(file -> file.getParent().endsWith(topic + "-0"))
          .filter(file -> file.toString().endsWith(".log"))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void a_log_that_lost_its_end_is_told_also_when_it_has_grown_again() throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestAppends table = new TestAppends(1)) {
      for (int number = 1; number <= 3; number++) {
        get(table.append(FIRST, number, 1));
      }
      Path segment = segment(table.topic());
      long keptBytes = Files.size(segment);
      for (int number = 4; number <= 8; number++) {
        get(table.append(FIRST, number, 1));
      }
      TailEvents events = new TailEvents();
      try (AppendTail tail = table.log.tail(events)) {
        tail.follow(FIRST, 0, AppendTail.NO_EPOCH);
        int epoch = events.until(8).get(7).leaderEpoch();
        broker.kill();
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
          file.truncate(keptBytes);
        }
        broker.restart();
        assertThat(events.next(Cut.class).offset()).as("while it reads").isEqualTo(8);
        table.awaitLeaders();
        for (int number = 4; number <= 20; number++) {
          get(table.append(FIRST, number, 1));
        }
        tail.follow(FIRST, 8, epoch);
        assertThat(events.next(Cut.class)).isEqualTo(new Cut(FIRST, 8, 3));
        tail.follow(FIRST, 3, epoch);
        assertThat(events.until(20)).extracting(Stored::offset).startsWith(3L).hasSize(17);
      }
    }
  }
}
