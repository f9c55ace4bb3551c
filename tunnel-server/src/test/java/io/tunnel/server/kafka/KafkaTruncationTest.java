package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.kafka.broker.KafkaBroker;
import io.tunnel.server.changes.Bounds;
import io.tunnel.server.kafka.KafkaEpochs.Seen;
import io.tunnel.server.kafka.Reads.Lost;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.Tail;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A real broker that loses the end of a partition, as all its replicas do with their power. */
@Tag("proof-kafka")
class KafkaTruncationTest {

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
  void a_log_that_lost_its_end_and_grew_again_is_noticed_by_who_goes_on_there() throws Exception {
    KafkaBroker broker = TestKafka.broker();
    try (TestTable table = new TestTable(1, 60_000)) {
      for (int i = 0; i < 3; i++) {
        get(table.append(FIRST, change(i, "k" + i, "kept")));
      }
      Path segment = segment(table.topic());
      long keptBytes = Files.size(segment);
      for (int i = 3; i < 8; i++) {
        get(table.append(FIRST, change(i, "k" + i, "lost")));
      }
      Reads reads = new Reads();
      int epoch;
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        List<Stored> read = reads.until(8);
        epoch = read.get(7).leaderEpoch();
        assertThat(epoch).isNotNegative();
        assertThat(read).allMatch(record -> record.leaderEpoch() == epoch);
        broker.kill();
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
          file.truncate(keptBytes);
        }
        broker.restart();
        KafkaEpochs epochs = table.cluster.epochs(id -> Optional.ofNullable(table.places.get(id)));
        assertThat(get(epochs.shared(Map.of(FIRST, new Seen(8, epoch)))))
            .as("before anything is written behind the loss")
            .containsEntry(FIRST, 3L);
        assertThat(reads.lost()).as("while it reads").isEqualTo(new Lost(FIRST, 8, 0));
      }
      for (int i = 3; i < 20; i++) {
        get(table.append(FIRST, change(i, "k" + i, "new")));
      }
      assertThat(get(table.log.end(FIRST)).offset()).isEqualTo(20);
      Bounds found = get(table.offsets().bounds(List.of(FIRST))).get(FIRST);
      assertThat(found.last()).isEqualTo(19);
      int now = Math.toIntExact(found.incarnation().orElseThrow() - 1);
      assertThat(now).isGreaterThan(epoch);
      KafkaEpochs epochs = table.cluster.epochs(id -> Optional.ofNullable(table.places.get(id)));
      for (int next : new int[] {1, 3, 4, 8, 20}) {
        assertThat(get(epochs.shared(Map.of(FIRST, new Seen(next, epoch)))))
            .containsEntry(FIRST, Math.min(next, 3L));
        assertThat(get(epochs.shared(Map.of(FIRST, new Seen(next, now)))))
            .containsEntry(FIRST, (long) next);
      }
      assertThat(get(epochs.shared(Map.of(FIRST, new Seen(30, now))))).containsEntry(FIRST, 20L);
      assertThatThrownBy(() -> get(epochs.shared(Map.of(FIRST + 9, new Seen(1, now)))))
          .hasCauseInstanceOf(LogUnavailableException.class);
      Reads again = new Reads();
      try (Tail tail = table.log.tail(again)) {
        tail.follow(FIRST, 8, epoch);
        assertThat(again.lost()).isEqualTo(new Lost(FIRST, 8, 0));
        tail.follow(FIRST, 3, epoch);
        List<Stored> read = again.until(20);
        assertThat(read).extracting(Stored::offset).startsWith(3L).hasSize(17);
        assertThat(read).allMatch(record -> record.leaderEpoch() > epoch);
      }
    }
  }
}
