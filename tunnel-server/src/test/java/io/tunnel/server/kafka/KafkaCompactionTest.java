package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.get;
import static io.tunnel.server.kafka.TestTable.marker;
import static org.assertj.core.api.Assertions.assertThat;

import io.tunnel.server.replica.shared.SharedLog.Kind;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.Tail;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;

class KafkaCompactionTest {

  private static final int KEYS = 3;
  private static final int ROUNDS = 20;

  @Test
  void of_a_compacted_part_the_last_of_each_key_and_the_last_marker_are_read_and_all_that_is_young()
      throws Exception {
    try (TestTable table = new TestTable(1, 60_000);
        Admin admin = Admin.create(new ClientSettings(table.config).admin())) {
      TestTopics.alter(
          admin,
          table.topic(),
          Map.of(
              "min.compaction.lag.ms", "0",
              "min.cleanable.dirty.ratio", "0.01",
              "segment.ms", "50"));
      for (int round = 0; round < ROUNDS; round++) {
        append(table, round);
      }
      int rounds = ROUNDS;
      long end = (long) rounds * (1 + KEYS);
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      List<Stored> read = read(table, end);
      while (read.size() >= end / 2) {
        assertThat(System.nanoTime() - deadline).as("the log is compacted in time").isNegative();
        // The cleaner leaves the segment alone that is written, and only a write begins the next.
        append(table, rounds);
        rounds++;
        end = (long) rounds * (1 + KEYS);
        read = read(table, end);
      }
      assertThat(read.get(read.size() - 1).offset()).isEqualTo(end - 1);
      long lastRound = end - (1 + KEYS);
      Map<String, List<Stored>> byKey =
          read.stream().collect(Collectors.groupingBy(record -> record.entry().key().toString()));
      assertThat(byKey).hasSize(1 + KEYS);
      byKey.forEach(
          (key, records) ->
              assertThat(records.get(records.size() - 1).offset())
                  .as("the last record of a key is always kept")
                  .isGreaterThanOrEqualTo(lastRound));
      assertThat(read).anyMatch(record -> record.entry().kind() == Kind.MARKER);
    }
  }

  private static void append(TestTable table, int round) throws Exception {
    get(table.append(FIRST, marker("n" + round)));
    for (int key = 0; key < KEYS; key++) {
      get(table.append(FIRST, change(round, "k" + key, "v" + round)));
    }
  }

  private static List<Stored> read(TestTable table, long end) throws Exception {
    Reads reads = new Reads();
    try (Tail tail = table.log.tail(reads)) {
      tail.follow(FIRST, 0);
      return reads.until(end);
    }
  }
}
