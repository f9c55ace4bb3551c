package io.tunnel.server.kafka;

import static io.tunnel.server.kafka.TestTable.FIRST;
import static io.tunnel.server.kafka.TestTable.change;
import static io.tunnel.server.kafka.TestTable.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tunnel.server.changes.Bounds;
import io.tunnel.server.partition.Shard;
import io.tunnel.server.replica.shared.SharedLog.Stored;
import io.tunnel.server.replica.shared.SharedLog.Tail;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KafkaOffsetsTest {

  /** Nobody but the first leader has led what a test appends. */
  private static Bounds bounds(long first, long last) {
    return new Bounds(first, last, Optional.of(1L));
  }

  @Test
  void ends_and_first_records_since_a_moment_are_those_that_a_reader_sees() throws Exception {
    try (TestTable table = new TestTable(2, 0)) {
      Reads reads = new Reads();
      List<Stored> stored;
      try (Tail tail = table.log.tail(reads)) {
        tail.follow(FIRST, 0);
        for (int i = 0; i < 5; i++) {
          get(table.append(FIRST, change(i, "k", "v")));
        }
        stored = reads.until(5);
      }
      KafkaOffsets offsets = table.offsets();
      List<Integer> both = List.of(FIRST, FIRST + 1);
      assertThat(get(offsets.ends(both))).isEqualTo(Map.of(FIRST, 5L, FIRST + 1, 0L));
      assertThat(get(offsets.bounds(both)))
          .isEqualTo(Map.of(FIRST, bounds(1, 4), FIRST + 1, bounds(1, 0)));
      for (long micros :
          new long[] {0, stored.get(2).timeMicros(), stored.get(2).timeMicros() + 1}) {
        long first =
            stored.stream()
                .filter(record -> record.timeMicros() >= micros)
                .map(Stored::offset)
                .findFirst()
                .orElse(Long.MAX_VALUE);
        assertThat(get(offsets.firstSince(both, micros)))
            .isEqualTo(Map.of(FIRST, first, FIRST + 1, Long.MAX_VALUE));
      }
      assertThat(get(offsets.firstSince(both, stored.get(4).timeMicros() + 1)))
          .containsEntry(FIRST, Long.MAX_VALUE);
      assertThat(get(offsets.ends(List.of()))).isEmpty();
    }
  }

  @Test
  void the_window_that_is_surely_whole_moves_with_the_clock_and_ends_at_the_end() throws Exception {
    try (TestTable table = new TestTable(1, 60_000)) {
      get(table.append(FIRST, change(0, "k", "v"), change(1, "k", "w")));
      assertThat(get(table.offsets().bounds(List.of(FIRST)))).containsEntry(FIRST, bounds(1, 1));
      LateClock late = new LateClock(31);
      try (KafkaCluster later = new KafkaCluster(table.config, late)) {
        KafkaOffsets offsets = later.offsets(id -> Optional.ofNullable(table.places.get(id)));
        assertThat(get(offsets.bounds(List.of(FIRST)))).containsEntry(FIRST, bounds(2, 1));
        table.know(0);
        assertThat(get(offsets.bounds(List.of(FIRST)))).containsEntry(FIRST, bounds(1, 1));
      }
    }
  }

  @Test
  void a_partition_that_is_not_known_is_an_error_that_passes() throws Exception {
    try (TestTable table = new TestTable(1, 0)) {
      assertThatThrownBy(() -> get(table.offsets().ends(List.of(FIRST, 5))))
          .hasCauseInstanceOf(LogUnavailableException.class)
          .hasMessageContaining("partition 5");
    }
  }

  /** A clock that is some seconds ahead. */
  private record LateClock(long seconds) implements Shard.Clock {
    @Override
    public long epochMicros() {
      return TestKafka.CLOCK.epochMicros() + TimeUnit.SECONDS.toMicros(seconds);
    }

    @Override
    public long nanos() {
      return TestKafka.CLOCK.nanos();
    }
  }
}
